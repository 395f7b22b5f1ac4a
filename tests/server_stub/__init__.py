"""Tests of the reference server, room by room."""
