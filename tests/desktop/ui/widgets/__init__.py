"""Tests of `cdb_desktop.ui.widgets`."""
