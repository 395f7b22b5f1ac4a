"""Edits of columns: adding, renaming, moving them, and their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.describing import described, table_name
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.edit import EditError, column_at, table_at, unused
from cdb_desktop.schema.elements import Entry
from cdb_desktop.schema.identity import Identities, Identity
from cdb_desktop.schema.made_names import with_made_names
from cdb_desktop.schema.making import new_column
from cdb_desktop.schema.options import option_title, with_options
from cdb_desktop.schema.places import ColumnPlace, NestedPlace, Place, ReversePlace, new_key

EntryPlace = ColumnPlace | NestedPlace | ReversePlace

_NO_OPTIONS = frozenset(
    {
        "kind",
        "name",
        "type",
        "column_id",
        "reverse_edit",
        "other_table_id",
        "other_table_name_hint",
        "other_column_id",
        "other_column_name_hint",
    }
)


@dataclass(frozen=True, slots=True)
class AddColumn:
    """A new column, at the end without an index; links are added by AddLink."""

    table: int
    name: str
    type: str
    index: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        """What is done."""
        return message(
            "Add column {table}.{column}", table=table_name(document, self.table), column=self.name
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the column; raises EditError when the table is gone or the type is ``link``."""
        unused(document, self.key)
        if self.type == "link":
            raise EditError(message("A link needs the table that it points to."))
        column = new_column(self.key, self.name, self.type, self.options)
        return document.with_tables(with_entry(table_at(document, self.table), column, self.index))


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Another name for a column, which hints and made names follow."""

    place: ColumnPlace
    name: str

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Rename column {old} to {new}", old=described(document, self.place), new=self.name)

    def apply_to(self, document: Document) -> Document:
        """The document with the name everywhere; raises EditError when the column is gone."""
        _, column = column_at(document, self.place)
        identities = Identities(columns={column.key: Identity(column.key, column.id, self.name)})
        changed = [identities.of(table) for table in document.tables if identities.touches(table)]
        keys = [table.key for table in changed]
        return with_made_names(document, document.with_tables(*changed), keys)


@dataclass(frozen=True, slots=True)
class MoveColumn:
    """Another place in the order of a table's entries; ``index`` counts without the one that moves."""

    place: EntryPlace
    index: int

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Move {column}", column=described(document, self.place))

    def apply_to(self, document: Document) -> Document:
        """The document with the other order; raises EditError when the entry is gone."""
        table, entry = entry_at(document, self.place)
        others = [other for other in table.entries if other is not entry]
        others.insert(self.index, entry)
        return document.with_tables(replace(table, entries=tuple(others)))


@dataclass(frozen=True, slots=True)
class MoveColumns:
    """Several entries of a table one place up (``step`` -1) or down (1); what is at the end stays there."""

    table: int
    places: tuple[EntryPlace, ...]
    step: int

    def title(self, document: Document) -> Message:
        """What is done."""
        if len(self.places) == 1:
            return message("Move {column}", column=described(document, self.places[0]))
        name = table_name(document, self.table)
        return message("Move {count} columns of {table}", count=len(self.places), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the other order, the same one if there is none; raises EditError."""
        table = table_at(document, self.table)
        found = [entry_at(document, place)[1] for place in self.places]
        moving = {id(entry) for entry in found}
        entries = list(table.entries)
        order = range(len(entries)) if self.step < 0 else range(len(entries) - 1, -1, -1)
        for at in order:
            to = at + self.step
            if id(entries[at]) in moving and 0 <= to < len(entries) and id(entries[to]) not in moving:
                entries[at], entries[to] = entries[to], entries[at]
        is_same = all(one is other for one, other in zip(entries, table.entries, strict=True))
        return document if is_same else document.with_tables(replace(table, entries=tuple(entries)))


@dataclass(frozen=True, slots=True)
class SetColumnOptions:
    """Other values for options such as ``not_null`` or the check's; None takes an option away.

    ``reverse_edit`` has an edit of its own, since it changes two tables.
    """

    place: EntryPlace
    options: Mapping[str, object]

    def title(self, document: Document) -> Message:
        """What is done."""
        return option_title(described(document, self.place), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the options; raises EditError for what is no option."""
        table, entry = entry_at(document, self.place)
        fixed = sorted(_NO_OPTIONS & self.options.keys())
        if fixed:
            raise EditError(message("{option} is no option of a column.", option=fixed[0]))
        changed = replace(entry, raw=with_options(entry.raw, self.options))
        return document.with_tables(with_replaced(table, entry, changed))


@dataclass(frozen=True, slots=True)
class RequireColumns:
    """Whether several columns of a table must have a value."""

    table: int
    columns: tuple[int, ...]
    on: bool

    def title(self, document: Document) -> Message:
        """What is done."""
        name, count = table_name(document, self.table), len(self.columns)
        if self.on:
            return message(
                "Make {count:a column|{count} columns} of {table} required", count=count, table=name
            )
        return message("Make {count:a column|{count} columns} of {table} optional", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the answer for each of them; raises EditError when one is gone."""
        for column in self.columns:
            edit = SetColumnOptions(ColumnPlace(self.table, column), {"not_null": self.on})
            document = edit.apply_to(document)
        return document


def entry_at(document: Document, place: EntryPlace) -> tuple[Table, Entry]:
    """The first entry at a place, and its table; raises EditError."""
    table = table_at(document, place.table)
    wanted: Place = place
    for entry in table.entries:
        if entry.place(table.key) == wanted:
            return table, entry
    raise EditError(message("This entry of {table} is no longer there.", table=table.name))


def with_entry(table: Table, entry: Entry, index: int | None) -> Table:
    """The table with one entry more, at the end without an index."""
    entries = list(table.entries)
    entries.insert(len(entries) if index is None else index, entry)
    return replace(table, entries=tuple(entries))


def with_replaced(table: Table, entry: Entry, changed: Entry) -> Table:
    """The table with one entry in the place of another."""
    return replace(table, entries=tuple(changed if other is entry else other for other in table.entries))
