"""What all features share: event types and texts, error messages, search patterns and times."""
