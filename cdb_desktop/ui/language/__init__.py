"""The language of the window: which one is chosen, and where its words come from. Knows no widget."""
