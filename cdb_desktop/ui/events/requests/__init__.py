"""The log of the last requests."""
