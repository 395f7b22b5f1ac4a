"""Shared, passive widgets: they show what they are given and know no page and no service."""
