"""Tests of the manual: its window, what opens it, and what it starts."""
