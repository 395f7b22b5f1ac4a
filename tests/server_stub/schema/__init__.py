"""Tests of the schema room."""
