"""Search through the result or the log, and its hits."""
