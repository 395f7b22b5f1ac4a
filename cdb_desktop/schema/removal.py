"""What goes along when a table or a column is removed: found out, and taken out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.describing import described
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column, Entry, ForeignKey, NestedLink, ReverseLink, keys_of
from cdb_desktop.schema.places import ColumnPlace, Place, TablePlace


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that goes along; ``holds`` when it is no part of what is removed and would be missed."""

    place: Place
    holds: bool
    message: Message


@dataclass(frozen=True, slots=True)
class Removal:
    """The keys of all tables and columns that go."""

    tables: frozenset[int]
    columns: frozenset[int]


def removal(document: Document, place: TablePlace | ColumnPlace) -> Removal:
    """All that goes when what lies at a place goes: nested tables, and columns elsewhere that link to it."""
    if isinstance(place, TablePlace):
        tables = frozenset({place.table, *document.nested_below(place.table)})
        outside = (table for table in document.referring_to(tables) if table.key not in tables)
        linking = (_columns_to(table, lambda key: key.target in tables) for table in outside)
        return Removal(tables, frozenset(key for keys in linking for key in keys))
    referring = document.referring_to(frozenset({place.table}))
    pointing = (
        _columns_to(table, lambda key: place.column in keys_of(key.target_columns)) for table in referring
    )
    return Removal(frozenset(), frozenset({place.column, *(key for keys in pointing for key in keys)}))


def removal_of_all(document: Document, places: Iterable[TablePlace | ColumnPlace]) -> Removal:
    """All that goes when several tables and columns go."""
    found = [removal(document, place) for place in places]
    return Removal(
        frozenset(key for each in found for key in each.tables),
        frozenset(key for each in found for key in each.columns),
    )


def dependents(document: Document, *places: TablePlace | ColumnPlace) -> tuple[Dependent, ...]:
    """What goes along with tables and columns, in the document's order (wire §5)."""
    gone = removal_of_all(document, places)
    found = (dependent for table in document.tables for dependent in _dependents(document, table, gone))
    return tuple(dependent for dependent in found if dependent.place not in places)


def without(document: Document, gone: Removal) -> Document:
    """The document without what goes and without all that refers to it."""
    homes = frozenset(table.key for table in document.tables if _loses_column(table, gone))
    touched = gone.tables | homes
    kept = (table for table in document.tables if table.key not in gone.tables)
    named = ((table, {table.key, *table.refers_to}) for table in kept)
    changed = (table if touched.isdisjoint(names) else _kept_of(table, gone) for table, names in named)
    return replace(document, tables=tuple(changed))


def _dependents(document: Document, table: Table, gone: Removal) -> Iterator[Dependent]:
    if table.key in gone.tables:
        place: Place = TablePlace(table.key)
        yield Dependent(place, False, message("Nested table {table}", table=table.name))
        return
    for column in table.columns:
        if column.key in gone.columns:
            place = ColumnPlace(table.key, column.key)
            yield Dependent(place, True, message("Link {column}", column=described(document, place)))
    for entry in table.entries:
        if isinstance(entry, ReverseLink) and _goes(entry, gone):
            place = entry.place(table.key)
            yield Dependent(place, False, message("Editing of {column}", column=described(document, place)))
    for key in table.unique_keys:
        if not gone.columns.isdisjoint(key.column_keys):
            place = key.place(table.key)
            holds = not gone.columns.issuperset(key.column_keys)
            yield Dependent(place, holds, message("Unique key {columns}", columns=described(document, place)))


def _columns_to(table: Table, points: Callable[[ForeignKey], bool]) -> Iterator[int]:
    return (column for key in table.foreign_keys if points(key) for column in key.column_keys)


def _loses_column(table: Table, gone: Removal) -> bool:
    return any(key in table.by_key for key in gone.columns)


def _kept_of(table: Table, gone: Removal) -> Table:
    return replace(
        table,
        entries=tuple(entry for entry in table.entries if not _goes(entry, gone)),
        foreign_keys=tuple(key for key in table.foreign_keys if not _key_goes(key, gone)),
        unique_keys=tuple(key for key in table.unique_keys if gone.columns.isdisjoint(key.column_keys)),
    )


def _goes(entry: Entry, gone: Removal) -> bool:
    match entry:
        case Column(key=key):
            return key in gone.columns
        case NestedLink(table=nested):
            return nested in gone.tables
        case ReverseLink(table=other, column=column):
            return other in gone.tables or column in gone.columns
        case _:
            return False


def _key_goes(key: ForeignKey, gone: Removal) -> bool:
    columns = {*key.column_keys, *keys_of(key.target_columns)}
    return key.target in gone.tables or not gone.columns.isdisjoint(columns)
