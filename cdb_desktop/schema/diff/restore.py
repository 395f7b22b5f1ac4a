"""Restores tables and columns that were removed since HEAD was read, with their ids and values.

What HEAD itself no longer has cannot be restored: it would be new and empty (wire §5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
)
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.model import Document, ForeignKey, ReverseLink, Table, UniqueKey
from cdb_desktop.schema.document.names import (
    SEPARATOR,
    element_name,
    nested_name,
    own_table_name,
    table_name,
)
from cdb_desktop.schema.edits.edit import EditError, require_table
from cdb_desktop.schema.edits.removal import Removal, without_removed


@dataclass(frozen=True, slots=True)
class Restore:
    """Restores a table or column from ``source``, HEAD as it was read."""

    ref: TableRef | ColumnRef
    source: Document

    def title(self, _document: Document) -> Message:
        return message("Restore {element}", element=element_name(self.source, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document with the element. Raises EditError if something that it needs is missing."""
        if document.contains(self.ref):
            raise EditError(message("This step has already been done."))
        if not self.source.contains(self.ref):
            raise EditError(message("HEAD was saved without it: it would be restored as new and empty."))
        if isinstance(self.ref, TableRef):
            restored = self._with_table(document, self.ref.table)
        else:
            restored = self._with_column(document, self.ref)
        return self._with_current_names(document, restored)

    def _with_table(self, document: Document, key: int) -> Document:
        """With nested tables, but without links to tables that do not exist; these can be restored later."""
        wanted = {key, *self.source.nested_below(key)} - document.by_key.keys()
        tables = [table for table in self.source.tables if table.key in wanted]
        owner = self.source.by_key[key].owner
        if owner is not None:
            require_table(document, owner)
        merged = replace(document, tables=(*document.tables, *tables))
        whole = without_removed(merged, _missing(merged, tables))
        for table in tables:
            for column in whole.by_key[table.key].links:
                whole = self._with_reverse(whole, ColumnRef(table.key, column))
        if owner is None:
            return whole
        entry = NestedTableRef(owner, key)
        return whole.with_tables(_with_entry(whole.by_key[owner], self.source.by_key[owner], entry))

    def _with_column(self, document: Document, ref: ColumnRef) -> Document:
        table, was = require_table(document, ref.table), self.source.by_key[ref.table]
        for foreign_key in was.links.get(ref.column, ()):
            if foreign_key.target not in document.by_key:
                name = table_name(self.source, foreign_key.target)
                raise EditError(message("Restore {table} first: the link goes there.", table=name))
        restored = _with_entry(table, was, ref)
        whole = replace(
            restored,
            foreign_keys=(*restored.foreign_keys, *_foreign_keys(restored, was, ref.column)),
            unique_keys=(*restored.unique_keys, *_unique_keys(restored, was, ref.column)),
        )
        return self._with_reverse(document.with_tables(whole), ref)

    def _with_current_names(self, before: Document, document: Document) -> Document:
        """The document with the names that tables and columns have got since, in all that was restored."""
        tables: dict[int, Identity] = {}
        columns: dict[int, Identity] = {}
        names = {table.key: table.name for table in before.tables}
        # Owners first, since the names of nested tables begin with theirs.
        for table in sorted(document.tables, key=lambda table: table.name.count(SEPARATOR)):
            was = self.source.by_key.get(table.key)
            if was is None:
                continue
            if table.key not in names:
                owner = None if table.owner is None else names.get(table.owner)
                own = own_table_name(self.source, was)
                names[table.key] = own if owner is None else nested_name(owner, own)
            if names[table.key] != was.name:
                tables[table.key] = Identity(table.key, table.id, names[table.key])
            if table is not was:
                columns |= {
                    key: Identity(key, column.id, column.name)
                    for key, column in table.by_key.items()
                    if key in was.by_key and was.by_key[key].name != column.name
                }
        identities = Identities(tables, columns)
        return with_identities((document,), identities)[0] if identities else document

    def _with_reverse(self, document: Document, ref: ColumnRef) -> Document:
        """The entries through which the link is edited elsewhere."""
        changed = [
            _with_entry(document.by_key[was.key], was, ReverseLinkRef(was.key, ref.table, ref.column))
            for was in self.source.tables
            if was.key in document.by_key
        ]
        return document.with_tables(*changed)


def _missing(document: Document, tables: Sequence[Table]) -> Removal:
    """Missing elements that these tables refer to: tables with the links to them, and columns edited here."""
    gone = {key for table in tables for key in table.refers_to} - document.by_key.keys()
    keys = (key for table in tables for key in table.foreign_keys if key.target in gone)
    linking = {column for key in keys for column in key.column_keys}
    columns = {column for table in document.tables for column in table.by_key}
    edited = {entry.column for table in tables for entry in table.entries if isinstance(entry, ReverseLink)}
    return Removal(frozenset(gone), frozenset(linking | {key for key in edited - columns if key is not None}))


def _with_entry(table: Table, was: Table, ref: ElementRef) -> Table:
    """The table with an entry that it had before, after the same entry as before."""
    entries = {entry.ref(table.key): entry for entry in was.entries}
    known = [entry.ref(table.key) for entry in table.entries]
    if ref not in entries or ref in known:
        return table
    order = list(entries)
    before = [each for each in order[: order.index(ref)] if each in known]
    index = known.index(before[-1]) + 1 if before else 0
    return replace(table, entries=(*table.entries[:index], entries[ref], *table.entries[index:]))


def _foreign_keys(table: Table, was: Table, column: int) -> Iterator[ForeignKey]:
    """The links of a column that are missing."""
    return (key for key in was.links.get(column, ()) if key not in table.foreign_keys)


def _unique_keys(table: Table, was: Table, column: int) -> Iterator[UniqueKey]:
    """The missing unique keys of a column all of whose columns exist."""
    for key in was.unique_keys:
        is_whole = all(other in table.by_key for other in key.column_keys)
        if column in key.column_keys and is_whole and key not in table.unique_keys:
            yield key
