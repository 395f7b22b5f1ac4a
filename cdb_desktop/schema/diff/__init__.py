"""Finds what differs between two documents."""
