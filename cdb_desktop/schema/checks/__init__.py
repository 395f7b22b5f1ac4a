"""Remedies for problems, hints beyond the rules of the service, and policies of teams."""
