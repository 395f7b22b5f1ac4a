"""Composition root: command line, process, event loop, settings, logging, and the connection."""
