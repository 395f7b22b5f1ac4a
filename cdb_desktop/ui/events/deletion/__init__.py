"""Deletion of events."""
