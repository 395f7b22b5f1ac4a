"""Tests of commits: plan, preview, execution."""
