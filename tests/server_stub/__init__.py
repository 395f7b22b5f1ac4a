"""Tests of the reference server; the folders mirror those of the source."""
