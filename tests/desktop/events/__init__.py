"""Tests of the desktop's events."""
