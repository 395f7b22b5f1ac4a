"""The frame around the panes: rail, pages, docks, menu and status bar. It decides nothing."""
