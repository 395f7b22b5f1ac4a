"""Finds what is wrong with a document."""
