"""Tests of cdb_desktop.vocabulary."""
