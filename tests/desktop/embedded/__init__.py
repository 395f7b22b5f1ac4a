"""Tests of the desktop's embedded."""
