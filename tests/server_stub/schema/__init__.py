"""Tests of the schema service."""
