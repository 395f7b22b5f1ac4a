"""Edits that repair what only damaged or hand-written documents have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
)
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.document.names import element_name, table_name
from cdb_desktop.schema.edits.edit import EditError, require_column, require_table
from cdb_desktop.schema.edits.new_elements import nested_entry, new_table


@dataclass(frozen=True, slots=True)
class RemoveId:
    """Removes the id of a table or column, so that the service assigns another one."""

    ref: TableRef | ColumnRef

    def title(self, document: Document) -> Message:
        return message("Give {element} a new id", element=element_name(document, self.ref))

    def apply_to(self, document: Document) -> Document:
        """The document without the id. Raises EditError if the element does not exist."""
        if isinstance(self.ref, TableRef):
            table = require_table(document, self.ref.table)
            identities = Identities({table.key: Identity(table.key, None, table.name)})
        else:
            _, column = require_column(document, self.ref)
            identities = Identities(columns={column.key: Identity(column.key, None, column.name)})
        changed = (identities.of(table) for table in document.tables if identities.touches(table))
        return document.with_tables(*changed)


@dataclass(frozen=True, slots=True)
class AddEntry:
    """Adds the missing entry for a nested table to its owner."""

    table: int

    def title(self, document: Document) -> Message:
        return message("Add the entry for {table}", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document with the entry at the end. Raises EditError without an owner."""
        table = require_table(document, self.table)
        owner = require_table(document, table.owner or 0)
        return document.with_tables(replace(owner, entries=(*owner.entries, nested_entry(table))))


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """Removes an entry for a nested table or for reverse edit; of several equal ones the last."""

    ref: NestedTableRef | ReverseLinkRef

    def title(self, document: Document) -> Message:
        return message("Remove the entry from {table}", table=table_name(document, self.ref.table))

    def apply_to(self, document: Document) -> Document:
        """The document without the entry. Raises EditError if it does not exist."""
        table, wanted = require_table(document, self.ref.table), (self.ref,)
        found = [at for at, entry in enumerate(table.entries) if entry.ref(table.key) in wanted]
        if not found:
            raise EditError(message("This entry of {table} is no longer there.", table=table.name))
        kept = tuple(entry for at, entry in enumerate(table.entries) if at != found[-1])
        return document.with_tables(replace(table, entries=kept))


@dataclass(frozen=True, slots=True)
class MakeObjecttype:
    """Turns a nested table into an objecttype of its own."""

    table: int

    def title(self, document: Document) -> Message:
        return message("Make {table} an objecttype", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document with the table at the top level. Raises EditError if it does not exist."""
        table = require_table(document, self.table)
        raw = {name: value for name, value in table.raw.items() if name != "owned_by"}
        return document.with_tables(replace(table, raw={**new_table(0, "", {}).raw, **raw}, owner=None))
