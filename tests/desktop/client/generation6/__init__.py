"""Tests of the dialect of generation 6."""
