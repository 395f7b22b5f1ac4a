"""Popups of the event browser and the fields in them."""
