"""Checks of documents: the rules of services, hints, policies of teams, and remedies."""
