"""The schema page."""
