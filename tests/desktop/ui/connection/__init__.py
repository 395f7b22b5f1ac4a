"""Tests of the pane that leads to a service."""
