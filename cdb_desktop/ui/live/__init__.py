"""The live feed: its view and its controller."""
