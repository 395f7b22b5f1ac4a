"""Versions of objects, an addition of this server."""
