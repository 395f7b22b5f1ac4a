"""Tests of `cdb_desktop.ui.shell`."""
