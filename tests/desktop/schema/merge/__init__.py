"""Tests of cdb_desktop.schema.merge."""
