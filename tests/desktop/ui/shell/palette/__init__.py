"""Tests of the command palette."""
