"""Tests of cdb_desktop.app."""
