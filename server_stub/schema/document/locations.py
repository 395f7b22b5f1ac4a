"""Beginnings of error messages: every error of a document names its table and column (wire §5)."""

from __future__ import annotations


def at_table(table: object) -> str:
    """The beginning of a message about a table."""
    return f'Table "{table}"'


def at_column(table: object, column: object) -> str:
    """The beginning of a message about a column."""
    return f'{at_table(table)}, column "{column}"'


def at_key(table: object, key: object) -> str:
    """The beginning of a message about a foreign key or a unique key."""
    return f'{at_table(table)}, key "{key}"'
