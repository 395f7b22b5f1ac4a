"""The filter bar, its popups and the colours of rows."""
