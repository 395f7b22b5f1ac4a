"""Edits of columns, of the order of entries, of unique keys, and of localized names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    UniqueKeyRef,
    new_key,
)
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.local_names import with_local_name
from cdb_desktop.schema.document.model import ENTRY_PARTS, Document, NamedRef, Table, TableEntry
from cdb_desktop.schema.document.names import element_name, table_name, with_generated_key_names
from cdb_desktop.schema.edits.edit import (
    EditError,
    option_title,
    require_column,
    require_new_keys,
    require_table,
    with_options,
)
from cdb_desktop.schema.edits.new_elements import new_column, new_unique_key

EntryRef = ColumnRef | NestedTableRef | ReverseLinkRef


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Adds a column, at the end without an index; links are added by AddLink."""

    table: int
    name: str
    type: str
    index: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        return message(
            "Add column {table}.{column}", table=table_name(document, self.table), column=self.name
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the column. Raises EditError if the table does not exist or for a ``link``."""
        require_new_keys(document, self.key)
        if self.type == "link":
            raise EditError(message("A link needs the table that it links to."))
        column = new_column(self.key, self.name, self.type, self.options)
        return document.with_tables(with_entry(require_table(document, self.table), column, self.index))


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Renames a column, with hints and generated key names."""

    ref: ColumnRef
    name: str

    def title(self, document: Document) -> Message:
        return message("Rename column {old} to {new}", old=element_name(document, self.ref), new=self.name)

    def apply_to(self, document: Document) -> Document:
        """The document with the name everywhere. Raises EditError if the column does not exist."""
        _, column = require_column(document, self.ref)
        identities = Identities(columns={column.key: Identity(column.key, column.id, self.name)})
        changed = [identities.of(table) for table in document.tables if identities.touches(table)]
        keys = [table.key for table in changed]
        return with_generated_key_names(document.with_tables(*changed), keys, document)


@dataclass(frozen=True, slots=True)
class MoveColumns:
    """Moves entries of a table up (``step`` -1) or down (1); those at the end stay there."""

    table: int
    refs: tuple[EntryRef, ...]
    step: int

    def title(self, document: Document) -> Message:
        if len(self.refs) == 1:
            return message("Move {column}", column=element_name(document, self.refs[0]))
        name = table_name(document, self.table)
        return message("Move {count} columns of {table}", count=len(self.refs), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the other order, unchanged if there is no other order. Raises EditError."""
        table = require_table(document, self.table)
        found = [require_entry(document, ref)[1] for ref in self.refs]
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
    """Sets options such as ``not_null`` or those of the check; None removes an option.

    ``reverse_edit`` has an edit of its own, since it changes two tables.
    """

    ref: EntryRef
    options: Mapping[str, object]

    def title(self, document: Document) -> Message:
        return option_title(element_name(document, self.ref), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the options. Raises EditError if one is not an option."""
        table, entry = require_entry(document, self.ref)
        fixed = sorted({*ENTRY_PARTS, "reverse_edit"} & self.options.keys())
        if fixed:
            raise EditError(message("{option} is no option of a column.", option=fixed[0]))
        changed = replace(entry, raw=with_options(entry.raw, self.options))
        return document.with_tables(with_replaced(table, entry, changed))


@dataclass(frozen=True, slots=True)
class RequireColumns:
    """Makes several columns of a table required or optional."""

    table: int
    columns: tuple[int, ...]
    on: bool

    def title(self, document: Document) -> Message:
        name, count = table_name(document, self.table), len(self.columns)
        if self.on:
            return message(
                "Make {count:a column|{count} columns} of {table} required", count=count, table=name
            )
        return message("Make {count:a column|{count} columns} of {table} optional", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the option at each of them. Raises EditError if one does not exist."""
        for column in self.columns:
            edit = SetColumnOptions(ColumnRef(self.table, column), {"not_null": self.on})
            document = edit.apply_to(document)
        return document


def require_entry(document: Document, ref: EntryRef) -> tuple[Table, TableEntry]:
    """The table of an entry, and the entry. Raises EditError if it does not exist."""
    table = require_table(document, ref.table)
    wanted: ElementRef = ref
    for entry in table.entries:
        if entry.ref(table.key) == wanted:
            return table, entry
    raise EditError(message("This entry of {table} is no longer there.", table=table.name))


def with_entry(table: Table, entry: TableEntry, index: int | None) -> Table:
    """The table with one entry more, at the end without an index."""
    entries = list(table.entries)
    entries.insert(len(entries) if index is None else index, entry)
    return replace(table, entries=tuple(entries))


def with_replaced(table: Table, entry: TableEntry, changed: TableEntry) -> Table:
    """The table with ``changed`` instead of an entry."""
    return replace(table, entries=tuple(changed if other is entry else other for other in table.entries))


@dataclass(frozen=True, slots=True)
class AddUniqueKey:
    """Adds a unique key."""

    ref: UniqueKeyRef

    def title(self, document: Document) -> Message:
        return message("Make {columns} unique", columns=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document with the key. Raises EditError if it exists or a column does not."""
        table = require_table(document, self.ref.table)
        columns = tuple(require_column(document, ColumnRef(table.key, key))[1] for key in self.ref.columns)
        if not columns:
            raise EditError(message("A unique key needs a column."))
        if any(set(key.column_keys) == set(self.ref.columns) for key in table.unique_keys):
            raise EditError(message("{columns} is unique already.", columns=element_name(document, self.ref)))
        keys = (*table.unique_keys, new_unique_key(table, columns))
        return document.with_tables(replace(table, unique_keys=keys))


@dataclass(frozen=True, slots=True)
class RemoveUniqueKey:
    """Removes a unique key."""

    ref: UniqueKeyRef

    def title(self, document: Document) -> Message:
        return message("Let {columns} repeat", columns=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document without the key. Raises EditError if it does not exist."""
        table = require_table(document, self.ref.table)
        kept = tuple(key for key in table.unique_keys if key.ref(table.key) != self.ref)
        if len(kept) == len(table.unique_keys):
            raise EditError(message("This unique key of {table} is no longer there.", table=table.name))
        return document.with_tables(replace(table, unique_keys=kept))


@dataclass(frozen=True, slots=True)
class SetLocalName:
    """Sets the name of a table or column in a language; empty for none, None for the one that was read."""

    ref: NamedRef
    language: str
    text: str | None

    def title(self, document: Document) -> Message:
        return message(
            "Name {element} in {language}", element=element_name(document, self.ref), language=self.language
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the name. Raises EditError if the element does not exist."""
        if isinstance(self.ref, ColumnRef):
            require_column(document, self.ref)
        else:
            require_table(document, self.ref.table)
        return with_local_name(document, self.ref, self.language, self.text)
