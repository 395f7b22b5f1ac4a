"""Histogram, facets and summary of a result."""
