"""The forms in which tables and columns are edited."""
