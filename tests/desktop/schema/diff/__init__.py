"""Tests of cdb_desktop.schema.diff."""
