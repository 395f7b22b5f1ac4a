"""Phrases that say where in a document something is wrong: every refusal names table and column (wire §5)."""

from __future__ import annotations


def at_table(table: object) -> str:
    """The start of a sentence about a table."""
    return f'Table "{table}"'


def at_column(table: object, column: object) -> str:
    """The start of a sentence about a column."""
    return f'{at_table(table)}, column "{column}"'


def at_key(table: object, key: object) -> str:
    """The start of a sentence about a foreign key or a unique key."""
    return f'{at_table(table)}, key "{key}"'
