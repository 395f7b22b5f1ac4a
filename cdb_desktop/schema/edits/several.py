"""Edits of several elements in one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef, new_key
from cdb_desktop.schema.document.model import Column, Document
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.edits.columns import EntryRef, require_entry
from cdb_desktop.schema.edits.edit import Edit, EditError, require_new_keys, require_table
from cdb_desktop.schema.edits.links import ChangeType
from cdb_desktop.schema.edits.new_elements import link_key, new_column


@dataclass(frozen=True, slots=True)
class NewColumn:
    """A column to add; ``target`` is the table that a link points to."""

    name: str
    type: str
    options: Mapping[str, object] = field(default_factory=dict)
    target: int | None = None
    key: int = field(default_factory=new_key)


@dataclass(frozen=True, slots=True)
class AddColumns:
    """Adds columns and links, at the end without an index."""

    table: int
    columns: tuple[NewColumn, ...]
    index: int | None = None

    def title(self, document: Document) -> Message:
        name = table_name(document, self.table)
        return message("Add {count:a column|{count} columns} to {table}", count=len(self.columns), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the columns. Raises EditError if a table does not exist or a link has none."""
        table = require_table(document, self.table)
        require_new_keys(document, *(new.key for new in self.columns))
        columns: list[Column] = []
        foreign_keys = list(table.foreign_keys)
        for new in self.columns:
            column = new_column(new.key, new.name, new.type, new.options)
            columns.append(column)
            if column.is_link:
                if new.target is None:
                    raise EditError(message("A link needs the table that it links to."))
                foreign_keys.append(link_key(table, column, require_table(document, new.target)))
        at = len(table.entries) if self.index is None else self.index
        entries = (*table.entries[:at], *columns, *table.entries[at:])
        return document.with_tables(replace(table, entries=entries, foreign_keys=tuple(foreign_keys)))


@dataclass(frozen=True, slots=True)
class MoveEntries:
    """Moves entries of a table together before the entry ``index`` of the present order."""

    table: int
    refs: tuple[EntryRef, ...]
    index: int

    def title(self, document: Document) -> Message:
        name = table_name(document, self.table)
        return message("Move {count:a column|{count} columns} of {table}", count=len(self.refs), table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the other order, unchanged if it is the same. Raises EditError."""
        table = require_table(document, self.table)
        moving = {id(require_entry(document, ref)[1]) for ref in self.refs}
        before = [entry for entry in table.entries[: self.index] if id(entry) not in moving]
        after = [entry for entry in table.entries[self.index :] if id(entry) not in moving]
        entries = (*before, *(entry for entry in table.entries if id(entry) in moving), *after)
        is_same = all(one is other for one, other in zip(entries, table.entries, strict=True))
        return document if is_same else document.with_tables(replace(table, entries=entries))


@dataclass(frozen=True, slots=True)
class SeveralEdits:
    """Applies edits one after another as one step; ``heading`` is its title."""

    heading: Message
    edits: tuple[Edit, ...]

    def title(self, _document: Document) -> Message:
        return self.heading

    def apply_to(self, document: Document) -> Document:
        """The document after all edits. Raises the EditError of the first one that is not possible."""
        for edit in self.edits:
            document = edit.apply_to(document)
        return document


def change_types(
    document: Document, table: int, columns: tuple[int, ...], type_: str, target: int | None = None
) -> SeveralEdits:
    """Changes the type of several columns; ``target`` is the table that links point to.

    Options of checks that the type does not have stay, and are reported as problems.
    """
    name, count = table_name(document, table), len(columns)
    heading = message(
        "Change the type of {count:a column|{count} columns} of {table} to {type}",
        count=count,
        table=name,
        type=type_,
    )
    refs = (ColumnRef(table, column) for column in columns)
    return SeveralEdits(heading, tuple(ChangeType(ref, type_, target) for ref in refs))
