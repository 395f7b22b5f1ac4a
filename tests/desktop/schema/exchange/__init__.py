"""Tests of cdb_desktop.schema.exchange."""
