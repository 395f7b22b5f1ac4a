"""How elements are called in sentences: ``work``, ``work.title``, ``work.artist + year``."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.places import (
    ColumnPlace,
    DocumentPlace,
    NestedPlace,
    Place,
    ReversePlace,
    TablePlace,
    UniquePlace,
)

_NOWHERE = "?"


def described(document: Document, place: Place) -> str:
    """The name of what lies at a place, ``?`` for what is not there; empty for the document itself."""
    match place:
        case DocumentPlace():
            return ""
        case TablePlace(table):
            return table_name(document, table)
        case ColumnPlace(table, column):
            return column_name(document, table, column)
        case NestedPlace(_, nested):
            return table_name(document, nested)
        case ReversePlace(_, other_table, other_column):
            return column_name(document, other_table, other_column)
        case UniquePlace(table, columns):
            return columns_name(document.by_key.get(table), columns)


def table_name(document: Document, table: int | None) -> str:
    """The whole name of a table."""
    found = None if table is None else document.by_key.get(table)
    return _NOWHERE if found is None else found.name


def column_name(document: Document, table: int, column: int) -> str:
    """``table.column``."""
    return columns_name(document.by_key.get(table), (column,))


def columns_name(table: Table | None, columns: Iterable[int]) -> str:
    """``table.one + two``."""
    if table is None:
        return _NOWHERE
    found = (table.by_key.get(column) for column in columns)
    return f"{table.name}.{' + '.join(_NOWHERE if column is None else column.name for column in found)}"
