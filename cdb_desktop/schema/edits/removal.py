"""Removes tables and columns with all that depends on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    column_keys_of,
)
from cdb_desktop.schema.document.names import element_name, table_name
from cdb_desktop.schema.edits.edit import EditError, require_column, require_table


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that goes along; ``holds`` when it is no part of what is removed and would be missed."""

    ref: ElementRef
    holds: bool
    message: Message


@dataclass(frozen=True, slots=True)
class Removal:
    """The keys of all tables and columns that go."""

    tables: frozenset[int]
    columns: frozenset[int]


def removal_of_one(document: Document, ref: TableRef | ColumnRef) -> Removal:
    """All that goes when what lies at a place goes: nested tables, and columns elsewhere that link to it."""
    if isinstance(ref, TableRef):
        tables = frozenset({ref.table, *document.nested_below(ref.table)})
        outside = (table for table in document.referring_to(tables) if table.key not in tables)
        linking = (_columns_to(table, lambda key: key.target in tables) for table in outside)
        return Removal(tables, frozenset(key for keys in linking for key in keys))
    referring = document.referring_to(frozenset({ref.table}))
    pointing = (
        _columns_to(table, lambda key: ref.column in column_keys_of(key.target_columns))
        for table in referring
    )
    return Removal(frozenset(), frozenset({ref.column, *(key for keys in pointing for key in keys)}))


def removal_of(document: Document, refs: Iterable[TableRef | ColumnRef]) -> Removal:
    """All that goes when several tables and columns go."""
    found = [removal_of_one(document, ref) for ref in refs]
    return Removal(
        frozenset(key for each in found for key in each.tables),
        frozenset(key for each in found for key in each.columns),
    )


def dependents(document: Document, *refs: TableRef | ColumnRef) -> tuple[Dependent, ...]:
    """What goes along with tables and columns, in the document's order (wire §5)."""
    gone = removal_of(document, refs)
    found = (dependent for table in document.tables for dependent in _dependents_in(document, table, gone))
    return tuple(dependent for dependent in found if dependent.ref not in refs)


def without_removed(document: Document, gone: Removal) -> Document:
    """The document without what goes and without all that refers to it."""
    homes = frozenset(table.key for table in document.tables if _loses_column(table, gone))
    touched = gone.tables | homes
    kept = (table for table in document.tables if table.key not in gone.tables)
    named = ((table, {table.key, *table.refers_to}) for table in kept)
    changed = (table if touched.isdisjoint(names) else _remaining(table, gone) for table, names in named)
    return replace(document, tables=tuple(changed))


def _dependents_in(document: Document, table: Table, gone: Removal) -> Iterator[Dependent]:
    if table.key in gone.tables:
        ref: ElementRef = TableRef(table.key)
        yield Dependent(ref, False, message("Nested table {table}", table=table.name))
        return
    for column in table.columns:
        if column.key in gone.columns:
            ref = ColumnRef(table.key, column.key)
            yield Dependent(ref, True, message("Link {column}", column=element_name(document, ref)))
    for entry in table.entries:
        if isinstance(entry, ReverseLink) and _is_removed(entry, gone):
            ref = entry.ref(table.key)
            yield Dependent(ref, False, message("Editing of {column}", column=element_name(document, ref)))
    for key in table.unique_keys:
        if not gone.columns.isdisjoint(key.column_keys):
            ref = key.ref(table.key)
            holds = not gone.columns.issuperset(key.column_keys)
            yield Dependent(ref, holds, message("Unique key {columns}", columns=element_name(document, ref)))


def _columns_to(table: Table, points: Callable[[ForeignKey], bool]) -> Iterator[int]:
    return (column for key in table.foreign_keys if points(key) for column in key.column_keys)


def _loses_column(table: Table, gone: Removal) -> bool:
    return any(key in table.by_key for key in gone.columns)


def _remaining(table: Table, gone: Removal) -> Table:
    return replace(
        table,
        entries=tuple(entry for entry in table.entries if not _is_removed(entry, gone)),
        foreign_keys=tuple(key for key in table.foreign_keys if not _is_key_removed(key, gone)),
        unique_keys=tuple(key for key in table.unique_keys if gone.columns.isdisjoint(key.column_keys)),
    )


def _is_removed(entry: TableEntry, gone: Removal) -> bool:
    match entry:
        case Column(key=key):
            return key in gone.columns
        case NestedTableEntry(table=nested):
            return nested in gone.tables
        case ReverseLink(table=other, column=column):
            return other in gone.tables or column in gone.columns
        case _:
            return False


def _is_key_removed(key: ForeignKey, gone: Removal) -> bool:
    columns = {*key.column_keys, *column_keys_of(key.target_columns)}
    return key.target in gone.tables or not gone.columns.isdisjoint(columns)


@dataclass(frozen=True, slots=True)
class RemoveTable:
    """Takes a table away with the tables nested in it; links from elsewhere only with ``dependents``."""

    table: int
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Remove table {table}", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document without the table; raises EditError naming what would be missed."""
        require_table(document, self.table)
        return _after_removal(document, TableRef(self.table), anyway=self.dependents)


@dataclass(frozen=True, slots=True)
class RemoveColumn:
    """Takes a column away with its own keys; what else needs it only with ``dependents``."""

    ref: ColumnRef
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Remove column {column}", column=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document without the column; raises EditError naming what would be missed."""
        require_column(document, self.ref)
        return _after_removal(document, self.ref, anyway=self.dependents)


@dataclass(frozen=True, slots=True)
class RemoveEntries:
    """Takes several columns and nested tables of a table away in one step."""

    table: int
    refs: tuple[TableRef | ColumnRef, ...]
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        name = table_name(document, self.table)
        count = len(self.refs)
        return message("Remove {count:a column|{count} columns} of {table}", count=count, table=name)

    def removed(self, document: Document) -> Message:
        """What is removed."""
        name = table_name(document, self.table)
        count = len(self.refs)
        return message("{count:One column|{count} columns} of {table}", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document without them; raises EditError naming what would be missed."""
        for ref in self.refs:
            if isinstance(ref, ColumnRef):
                require_column(document, ref)
            else:
                require_table(document, ref.table)
        return _after_removal(document, *self.refs, anyway=self.dependents)


def _after_removal(document: Document, *refs: TableRef | ColumnRef, anyway: bool) -> Document:
    holding = [dependent for dependent in dependents(document, *refs) if dependent.holds]
    if holding and not anyway:
        raise EditError(
            message(
                "{element} cannot be deleted alone: {dependents} would be deleted with it.",
                element=", ".join(element_name(document, ref) for ref in refs),
                dependents=", ".join(element_name(document, dependent.ref) for dependent in holding),
            )
        )
    return without_removed(document, removal_of(document, refs))
