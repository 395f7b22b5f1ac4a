"""Tests of the Settings page."""
