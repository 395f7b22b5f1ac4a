"""Shared, passive widgets: they show what they are given, and depend on no page and no service."""
