"""Sharing: links to queries and events, and events as texts for tickets."""
