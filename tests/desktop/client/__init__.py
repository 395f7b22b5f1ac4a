"""Tests of the client: pure functions over literals, and real sockets."""
