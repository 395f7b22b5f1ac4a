"""Tests of cdb_desktop.schema.promotion."""
