"""Tests of the desktop's ui."""
