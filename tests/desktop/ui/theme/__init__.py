"""Tests of `cdb_desktop.ui.theme`."""
