"""Tests of the desktop's app."""
