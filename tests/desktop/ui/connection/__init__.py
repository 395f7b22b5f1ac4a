"""Tests of `cdb_desktop.ui.connection`."""
