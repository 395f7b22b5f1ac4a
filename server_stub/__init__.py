"""The embedded reference server: the whole interface on a real database, knowing nothing of the desktop."""
