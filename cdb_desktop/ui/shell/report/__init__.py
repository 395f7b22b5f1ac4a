"""The problem report, whose contents are shown before it is saved."""
