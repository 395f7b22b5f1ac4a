"""Tests of what holds for the repository as a whole; they know no room from the inside."""
