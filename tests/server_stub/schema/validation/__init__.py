"""Tests of the rules of documents and values."""
