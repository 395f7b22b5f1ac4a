"""Tests of reading, saving and committing schemas (§4.6 to §4.8, wire §5)."""
