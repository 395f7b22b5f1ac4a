"""Tests of the event log (§4.1 to §4.5)."""
