"""Tests of the server's events room."""
