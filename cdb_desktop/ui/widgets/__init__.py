"""Small and dumb parts that the panes share; they know colours and records, never a service or a pane."""
