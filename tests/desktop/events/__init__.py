"""Tests of cdb_desktop.events."""
