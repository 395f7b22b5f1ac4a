"""Tests of cdb_desktop.schema.commit."""
