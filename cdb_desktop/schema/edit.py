"""What every edit is: a value that makes a new document of one, and says in words what it does.

Edits name elements by their keys, new ones included, so that they can be applied again to another document.
"""

from __future__ import annotations

from typing import Protocol

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column
from cdb_desktop.schema.places import ColumnPlace


class Edit(Protocol):
    """One step of work on a document."""

    def title(self, document: Document) -> Message:
        """The step in words, told about the document before it."""

    def apply_to(self, document: Document) -> Document:
        """The document after the step; raises EditError."""


class EditError(Exception):
    """A step that cannot be made, with the reason."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.message = reason


def apply(document: Document, edit: Edit) -> Document:
    """The document after an edit; raises EditError when it cannot be made."""
    return edit.apply_to(document)


def table_at(document: Document, key: int) -> Table:
    """A table by its key; raises EditError."""
    found = document.by_key.get(key)
    if found is None:
        raise EditError(message("This table is no longer there."))
    return found


def column_at(document: Document, place: ColumnPlace) -> tuple[Table, Column]:
    """A column and its table; raises EditError."""
    table = table_at(document, place.table)
    found = table.by_key.get(place.column)
    if found is None:
        raise EditError(message("This column of {table} is no longer there.", table=table.name))
    return table, found


def unused(document: Document, key: int) -> None:
    """Raises EditError when an element with this key is there already."""
    if key in document.by_key or any(key in table.by_key for table in document.tables):
        raise EditError(message("This step has already been done."))
