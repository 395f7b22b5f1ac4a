"""The inspector, which shows the complete record of one event."""
