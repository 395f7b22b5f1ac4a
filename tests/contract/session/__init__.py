"""Tests of sessions, signing in and rights (§5, wire §2)."""
