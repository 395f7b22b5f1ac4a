"""Tests of connections: dialogs, sessions and stored connections."""
