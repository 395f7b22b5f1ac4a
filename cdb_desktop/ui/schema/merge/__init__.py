"""Merging unsaved work with what somebody else has saved."""
