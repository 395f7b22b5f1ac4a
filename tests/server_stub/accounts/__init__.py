"""Tests of users, sessions and base configuration."""
