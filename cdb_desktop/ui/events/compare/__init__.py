"""Comparison of two events."""
