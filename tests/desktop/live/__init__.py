"""Tests of the desktop's live."""
