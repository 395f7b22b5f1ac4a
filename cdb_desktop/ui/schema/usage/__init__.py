"""The use of tables by the event log: a scan of it, painted in the diagram and listed."""
