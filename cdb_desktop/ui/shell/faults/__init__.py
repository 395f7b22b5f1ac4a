"""Simulated faults of the demo service: dialog, controller, names and explanations."""
