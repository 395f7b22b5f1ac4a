"""The state of the schema page, its store, and what can be done in it."""
