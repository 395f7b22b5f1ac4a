"""Tests with a real pointer and keyboard on an X server of their own; `packaging/test` starts it."""
