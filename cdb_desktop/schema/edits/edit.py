"""The protocol of edits, their error, and helpers for all of them.

Edits name elements by their keys, new ones included, so that they can be applied again to another document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_values import Json, shown_value
from cdb_desktop.schema.document.model import Column, Document, Table


class Edit(Protocol):
    """A change of a document by the user."""

    def title(self, document: Document) -> Message:
        """The title for undo and redo; ``document`` is the document before the edit."""

    def apply_to(self, document: Document) -> Document:
        """The document after the edit. Raises EditError."""


class EditError(Exception):
    """An edit is impossible; ``message`` is the reason."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.message = reason


def require_table(document: Document, key: int) -> Table:
    """A table by its key. Raises EditError."""
    found = document.by_key.get(key)
    if found is None:
        raise EditError(message("This table is no longer there."))
    return found


def require_column(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    """A column and its table. Raises EditError."""
    table = require_table(document, ref.table)
    found = table.by_key.get(ref.column)
    if found is None:
        raise EditError(message("This column of {table} is no longer there.", table=table.name))
    return table, found


def require_new_keys(document: Document, *keys: int) -> None:
    """Raises EditError if an element with one of these keys exists."""
    if not document.column_keys.isdisjoint(keys) or not document.by_key.keys().isdisjoint(keys):
        raise EditError(message("This step has already been done."))


def with_options(raw: Json, options: Mapping[str, object]) -> dict[str, object]:
    """The attributes with other values; None removes one."""
    merged = {**raw, **options}
    return {name: value for name, value in merged.items() if name not in options or value is not None}


def option_title(element: str, options: Mapping[str, object]) -> Message:
    """The title of an edit that sets options of an element."""
    if len(options) != 1:
        return message("Change {options} of {element}", options=", ".join(options), element=element)
    name, value = next(iter(options.items()))
    if value is None:
        return message("Clear {option} of {element}", option=name, element=element)
    text = shown_value(value)
    return message("Set {option} of {element} to {value}", option=name, element=element, value=text)
