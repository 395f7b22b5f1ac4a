"""Queries without Qt, for events and live: conditions, typed text, completion, history and saved views."""
