"""Two events side by side."""
