"""Tests of cdb_desktop.schema.checks."""
