"""Tests of the server's database room."""
