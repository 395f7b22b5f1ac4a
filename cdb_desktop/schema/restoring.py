"""Brings back what was removed since HEAD was read, with its ids and values; what HEAD itself no longer has
would come back as something new and empty (wire §5), so that is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.describing import described, table_name
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.edit import EditError, table_at
from cdb_desktop.schema.elements import ForeignKey, ReverseLink, UniqueKey
from cdb_desktop.schema.places import ColumnPlace, NestedPlace, Place, ReversePlace, TablePlace
from cdb_desktop.schema.removal import Removal, without


def is_in(document: Document, place: TablePlace | ColumnPlace) -> bool:
    """Whether a table or a column is there."""
    table = document.by_key.get(place.table)
    return table is not None and (isinstance(place, TablePlace) or place.column in table.by_key)


@dataclass(frozen=True, slots=True)
class Restore:
    """A removed table or column as ``source``, HEAD as it was read, has it."""

    place: TablePlace | ColumnPlace
    source: Document

    def title(self, _document: Document) -> Message:
        """What is done."""
        return message("Restore {element}", element=described(self.source, self.place))

    def apply_to(self, document: Document) -> Document:
        """The document with it; raises EditError where something that it needs is missing."""
        if is_in(document, self.place):
            raise EditError(message("This step has already been done."))
        if not is_in(self.source, self.place):
            raise EditError(message("HEAD was saved without it: it would be restored as new and empty."))
        if isinstance(self.place, TablePlace):
            return self._with_table(document, self.place.table)
        return self._with_column(document, self.place)

    def _with_table(self, document: Document, key: int) -> Document:
        """With nested tables; links to what is not there stay away, to be restored later."""
        wanted = {key, *self.source.nested_below(key)} - document.by_key.keys()
        tables = [table for table in self.source.tables if table.key in wanted]
        owner = self.source.by_key[key].owner
        if owner is not None:
            table_at(document, owner)
        merged = replace(document, tables=(*document.tables, *tables))
        whole = without(merged, _missing(merged, tables))
        for table in tables:
            for column in whole.by_key[table.key].links:
                whole = self._with_reverse(whole, ColumnPlace(table.key, column))
        if owner is None:
            return whole
        entry = NestedPlace(owner, key)
        return whole.with_tables(_held(whole.by_key[owner], self.source.by_key[owner], entry))

    def _with_column(self, document: Document, place: ColumnPlace) -> Document:
        table, was = table_at(document, place.table), self.source.by_key[place.table]
        for foreign_key in was.links.get(place.column, ()):
            if foreign_key.target not in document.by_key:
                name = table_name(self.source, foreign_key.target)
                raise EditError(message("Restore {table} first: the link goes there.", table=name))
        held = _held(table, was, place)
        whole = replace(
            held,
            foreign_keys=(*held.foreign_keys, *_foreign_keys(held, was, place.column)),
            unique_keys=(*held.unique_keys, *_unique_keys(held, was, place.column)),
        )
        return self._with_reverse(document.with_tables(whole), place)

    def _with_reverse(self, document: Document, place: ColumnPlace) -> Document:
        """The entries through which the link is edited elsewhere."""
        changed = [
            _held(document.by_key[was.key], was, ReversePlace(was.key, place.table, place.column))
            for was in self.source.tables
            if was.key in document.by_key
        ]
        return document.with_tables(*changed)


def _missing(document: Document, tables: Sequence[Table]) -> Removal:
    """What these tables refer to and is not there: tables with the links to them, columns edited here."""
    gone = {key for table in tables for key in table.refers_to} - document.by_key.keys()
    keys = (key for table in tables for key in table.foreign_keys if key.target in gone)
    linking = {column for key in keys for column in key.column_keys}
    columns = {column for table in document.tables for column in table.by_key}
    edited = {entry.column for table in tables for entry in table.entries if isinstance(entry, ReverseLink)}
    return Removal(frozenset(gone), frozenset(linking | {key for key in edited - columns if key is not None}))


def _held(table: Table, was: Table, place: Place) -> Table:
    """The table with the entry at a place that it had, behind the one that it stood behind."""
    entries = {entry.place(table.key): entry for entry in was.entries}
    known = [entry.place(table.key) for entry in table.entries]
    if place not in entries or place in known:
        return table
    order = list(entries)
    before = [each for each in order[: order.index(place)] if each in known]
    index = known.index(before[-1]) + 1 if before else 0
    return replace(table, entries=(*table.entries[:index], entries[place], *table.entries[index:]))


def _foreign_keys(table: Table, was: Table, column: int) -> Iterator[ForeignKey]:
    """The links of a column that are there no longer."""
    return (key for key in was.links.get(column, ()) if key not in table.foreign_keys)


def _unique_keys(table: Table, was: Table, column: int) -> Iterator[UniqueKey]:
    """The unique keys of a column, all columns of which are there again."""
    for key in was.unique_keys:
        is_whole = all(other in table.by_key for other in key.column_keys)
        if column in key.column_keys and is_whole and key not in table.unique_keys:
            yield key
