"""Tests of cdb_desktop.foundation."""
