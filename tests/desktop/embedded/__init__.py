"""Tests of cdb_desktop.embedded."""
