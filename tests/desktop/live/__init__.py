"""Tests of cdb_desktop.live."""
