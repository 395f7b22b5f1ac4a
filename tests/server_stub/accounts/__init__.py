"""Tests of the server's accounts room."""
