"""What all rooms speak of: event families, times, errors as sentences. Knows no Qt and no room."""
