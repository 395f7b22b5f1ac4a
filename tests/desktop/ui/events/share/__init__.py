"""Tests of `cdb_desktop.ui.events.share`."""
