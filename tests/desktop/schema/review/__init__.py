"""Tests of cdb_desktop.schema.review."""
