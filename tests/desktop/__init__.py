"""Tests of the desktop, room by room."""
