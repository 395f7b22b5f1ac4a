"""The problem report: what it contains is shown before it is saved."""
