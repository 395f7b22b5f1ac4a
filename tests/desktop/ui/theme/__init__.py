"""Tests of the desktop's theme."""
