"""Saved views and the remembered query."""
