"""Exports of results to files.

`export` writes the pages of a result to a file, `options` is what the user chose, `formats` combines both.
"""
