"""Tests of schema documents."""
