"""Compares two documents by the ids of tables and columns, so that a rename is known to be one (wire §5).

Local elements of two states of the same work are the same as well; any other element without an id is new.
"""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.changes import Change, ChangeKind, Risk
from cdb_desktop.schema.describing import table_name
from cdb_desktop.schema.diff_entries import entry_changes
from cdb_desktop.schema.diff_keys import foreign_key_changes, unique_key_changes
from cdb_desktop.schema.diff_options import document_option_changes, table_option_changes
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.names import own_name
from cdb_desktop.schema.places import TablePlace


def compare(old: Document, new: Document) -> tuple[Change, ...]:
    """All that differs, in the order of the new document, what was removed at the end."""
    return tuple(_compare(old, new))


def _compare(old: Document, new: Document) -> Iterator[Change]:
    yield from document_option_changes(old.raw, new.raw)
    for table in new.tables:
        before = old.by_key.get(table.key)
        if before is None:
            yield _added(table)
        elif before is not table and before != table:
            yield from _table(old, new, before, table)
    for table in old.tables:
        if table.key not in new.by_key:
            yield _removed(table)


def _added(table: Table) -> Change:
    told = message("Table {table} added", table=table.name)
    return Change(ChangeKind.ADDED, TablePlace(table.key), Risk.SAFE, told, after=table.name)


def _removed(table: Table) -> Change:
    told = message("Table {table} removed", table=table.name)
    return Change(ChangeKind.REMOVED, TablePlace(table.key), Risk.DESTROYING, told, before=table.name)


def _table(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    yield from _name(old, new, before, table)
    yield from _owner(old, new, before, table)
    yield from table_option_changes(before, table)
    if before.entries != table.entries:
        yield from entry_changes(old, new, before, table)
    if before.foreign_keys != table.foreign_keys:
        yield from foreign_key_changes(old, new, before, table)
    if before.unique_keys != table.unique_keys:
        yield from unique_key_changes(before, table)


def _name(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    # A nested table that only follows its owner's name has not been renamed itself.
    if _own_name(old, before) != _own_name(new, table):
        told = message("Table {old} renamed to {new}", old=before.name, new=table.name)
        place = TablePlace(table.key)
        yield Change(ChangeKind.RENAMED, place, Risk.SAFE, told, before=before.name, after=table.name)


def _own_name(document: Document, table: Table) -> str:
    owner = None if table.owner is None else document.by_key.get(table.owner)
    return table.name if owner is None else own_name(table.name, owner.name)


def _owner(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    if (before.is_nested, before.owner) == (table.is_nested, table.owner):
        return
    owners = [table_name(document, each.owner) for document, each in ((old, before), (new, table))]
    told = message("{table} moved from {old} to {new}", table=table.name, old=owners[0], new=owners[1])
    place = TablePlace(table.key)
    yield Change(ChangeKind.OPTION, place, Risk.DESTROYING, told, "owned_by", before.owner, table.owner)
