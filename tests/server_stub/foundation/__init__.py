"""Tests of the lowest layer of the server."""
