"""The window of the manual, its links, and what leads to them."""
