"""The pane that leads to a service: what is seen while there is no connection."""
