"""Tests of cdb_desktop, one package for each of its packages."""
