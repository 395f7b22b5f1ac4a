"""Tests of what the schema editor knows."""
