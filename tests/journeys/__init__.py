"""One file for each user story, with the complete window."""
