"""Composition root: the process itself, its loop and its way to a service. Knows everyone, decides little.

Importing a module of it that says so loads nothing heavy, so that a wrong argument is told at once.
"""
