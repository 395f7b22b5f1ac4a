"""Tests of the desktop's schema."""
