"""Tests with a real pointer and keyboard on a separate X server, which `packaging/test` starts."""
