"""Tests of cdb_desktop.schema.validation."""
