"""Edits: values that make a new document of another one."""
