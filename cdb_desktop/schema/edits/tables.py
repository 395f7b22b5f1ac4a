"""Edits of tables: adding, renaming, removing them, and their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import new_key
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.model import TABLE_PARTS, Document
from cdb_desktop.schema.document.names import nested_name, own_name, table_name, with_generated_key_names
from cdb_desktop.schema.edits.edit import (
    EditError,
    option_title,
    require_new_keys,
    require_table,
    with_options,
)
from cdb_desktop.schema.edits.new_elements import nested_entry, new_nested_table, new_table


@dataclass(frozen=True, slots=True)
class AddTable:
    """Adds an objecttype at the end."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    key: int = field(default_factory=new_key)

    def title(self, _document: Document) -> Message:
        return message("Add table {table}", table=self.name)

    def apply_to(self, document: Document) -> Document:
        """The document with the table. Raises EditError if this edit was applied before."""
        require_new_keys(document, self.key)
        return replace(document, tables=(*document.tables, new_table(self.key, self.name, self.options)))


@dataclass(frozen=True, slots=True)
class AddNestedTable:
    """Adds a table nested in another one; ``name`` is without the owner's."""

    owner: int
    name: str
    index: int | None = None
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        name = nested_name(table_name(document, self.owner), self.name)
        return message("Add nested table {table}", table=name)

    def apply_to(self, document: Document) -> Document:
        """The document with the table and its entry. Raises EditError if the owner does not exist."""
        require_new_keys(document, self.key)
        owner = require_table(document, self.owner)
        table = new_nested_table(self.key, nested_name(owner.name, self.name), owner)
        entries = list(owner.entries)
        entries.insert(len(entries) if self.index is None else self.index, nested_entry(table))
        changed = document.with_tables(replace(owner, entries=tuple(entries)))
        return replace(changed, tables=(*changed.tables, table))


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Renames a table, with the names of nested tables, hints and generated key names.

    The name of a nested table is given without its owner's.
    """

    table: int
    name: str

    def title(self, document: Document) -> Message:
        old = table_name(document, self.table)
        return message("Rename table {old} to {new}", old=old, new=self._whole(document))

    def apply_to(self, document: Document) -> Document:
        """The document with the name everywhere. Raises EditError if the table does not exist."""
        identities = Identities(tables=self._identities(document))
        changed = [identities.of(table) for table in document.tables if identities.touches(table)]
        keys = [table.key for table in changed]
        return with_generated_key_names(document.with_tables(*changed), keys, document)

    def _whole(self, document: Document) -> str:
        owner = document.by_key[self.table].owner if self.table in document.by_key else None
        return self.name if owner is None else nested_name(table_name(document, owner), self.name)

    def _identities(self, document: Document) -> dict[int, Identity]:
        table = require_table(document, self.table)
        found = {table.key: Identity(table.key, table.id, self._whole(document))}
        for key in document.nested_below(self.table):
            nested = document.by_key[key]
            if nested.owner in found:
                own = own_name(nested.name, document.by_key[nested.owner].name)
                found[key] = Identity(key, nested.id, nested_name(found[nested.owner].name or "", own))
        return found


@dataclass(frozen=True, slots=True)
class SetTableOptions:
    """Sets options such as ``is_hierarchical``; None removes an option."""

    table: int
    options: Mapping[str, object]

    def title(self, document: Document) -> Message:
        return option_title(table_name(document, self.table), self.options)

    def apply_to(self, document: Document) -> Document:
        """The document with the options. Raises EditError if one is not an option."""
        table = require_table(document, self.table)
        fixed = sorted(TABLE_PARTS & self.options.keys())
        if fixed:
            raise EditError(message("{option} is no option of a table.", option=fixed[0]))
        return document.with_tables(replace(table, raw=with_options(table.raw, self.options)))
