"""One file a user story, on the whole window."""
