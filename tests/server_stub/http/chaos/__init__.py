"""Tests of the fault injection."""
