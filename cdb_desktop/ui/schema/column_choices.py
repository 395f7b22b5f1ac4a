"""Which types a column may take and which tables a link may point to; knows no widget."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.schema.column_types import SPELLINGS, Family, may_change
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column

_ALL_SPELLINGS = (Family.TEXT, Family.LOCALIZED)


def types_for(document: Document, current: Document | None, table: Table, column: Column) -> list[str]:
    """The types that the service lets the column take (wire §5), its own first met in place."""
    committed = _committed(current, table, column)
    found = [type_ for type_ in all_types(document) if committed is None or may_change(committed, type_)]
    return found if column.type in found else [column.type, *found]


def all_types(document: Document) -> list[str]:
    """One spelling of each type, the one that the document uses; of texts all, since they differ in use."""
    used = {column.type for table in document.tables for column in table.columns}
    found: list[str] = []
    for family, spellings in SPELLINGS.items():
        if family in _ALL_SPELLINGS:
            found.extend(spellings)
        else:
            found.append(next((spelling for spelling in spellings if spelling in used), spellings[0]))
    custom = sorted(type_ for type_ in used if type_.startswith("custom:"))
    return [*found, *custom]


def targets_of(document: Document) -> list[tuple[str, object]]:
    """The tables that a link may point to, by name, with their keys: objecttypes only (wire §5)."""
    return sorted((table.name, table.key) for table in _objecttypes(document))


def _objecttypes(document: Document) -> Iterator[Table]:
    return (table for table in document.tables if not table.is_nested)


def _committed(current: Document | None, table: Table, column: Column) -> str | None:
    found = None if current is None else current.by_key.get(table.key)
    before = None if found is None else found.by_key.get(column.key)
    return None if before is None else before.type
