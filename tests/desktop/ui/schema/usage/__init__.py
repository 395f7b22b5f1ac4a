"""Tests of the use of tables."""
