"""Tests of `cdb_desktop.ui.schema.output`."""
