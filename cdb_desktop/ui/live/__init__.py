"""The live feed's pane; a stranger to the other panes."""
