"""Tests of the problem report."""
