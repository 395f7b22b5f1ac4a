"""Tests of pictures of schemas."""
