"""Tests of cdb_desktop.client: pure functions with literals, and requests over real sockets."""
