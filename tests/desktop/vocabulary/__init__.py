"""Tests of the desktop's vocabulary."""
