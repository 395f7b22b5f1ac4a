"""The filter bar, its popups, and highlighted rows."""
