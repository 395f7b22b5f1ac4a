"""Speed of the reference server."""
