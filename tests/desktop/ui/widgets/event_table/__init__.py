"""Tests of the event table."""
