"""The rules that a complete document and stored values must fulfil."""
