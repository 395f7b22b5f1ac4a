"""The main window: menus, navigation rail, docks, status bar, and the pages that need no connection."""
