"""The whole record of one event beside the rows."""
