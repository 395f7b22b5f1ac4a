"""Tests of cdb_desktop.schema.dictionary."""
