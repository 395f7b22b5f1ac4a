"""Saving HEAD and committing it."""
