"""The schema's pane; a stranger to the other panes."""
