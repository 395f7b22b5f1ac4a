"""Schemas as pictures, drawn by Graphviz."""
