"""Tests of simulated faults."""
