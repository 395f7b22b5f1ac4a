"""Event browser logic without Qt: result pages, matches, object history, overview, exports and deletions."""
