"""Tests of the calls of generation 6, over the same services."""
