"""Event browser logic without Qt: queries, result pages, search, overview, exports and deletions."""
