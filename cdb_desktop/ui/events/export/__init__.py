"""Export of rows and hits to files."""
