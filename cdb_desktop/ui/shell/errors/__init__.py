"""The page that explains error codes, with or without a connection."""
