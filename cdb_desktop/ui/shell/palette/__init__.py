"""The command palette and the overlay of all keys."""
