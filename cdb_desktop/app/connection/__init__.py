"""The connection of the window: opening, signing in, renewing, and what is remembered of it."""
