"""The settings page: choices, folders, and what the program is made of."""
