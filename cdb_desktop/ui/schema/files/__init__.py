"""Model files, exported diagrams and drafts of unsaved work."""
