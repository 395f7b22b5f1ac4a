"""Tests of connections: dialogs, sessions, and what is remembered."""
