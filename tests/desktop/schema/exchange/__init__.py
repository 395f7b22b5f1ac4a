"""Tests of import and export in the formats of other tools."""
