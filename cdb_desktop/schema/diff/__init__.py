"""Changes of documents as values: finds, describes, applies and reverts what differs between two of them."""
