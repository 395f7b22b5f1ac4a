"""Exports of query results to files: pages, file formats, checkpoints and receipts."""
