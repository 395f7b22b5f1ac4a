"""The dialect of generation 6, which signs in with OAuth 2.0."""
