"""Tests of the desktop's window."""
