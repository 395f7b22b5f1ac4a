"""Simulated faults of the demo service: dialog and controller."""
