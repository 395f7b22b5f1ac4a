"""Tests of cdb_desktop.queries."""
