"""Tests of the Errors page."""
