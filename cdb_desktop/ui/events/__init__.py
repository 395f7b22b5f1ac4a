"""The event browser's pane; a stranger to the other panes."""
