"""Edits of unique keys."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.describing import described
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.edit import EditError, column_at, table_at
from cdb_desktop.schema.making import new_unique_key
from cdb_desktop.schema.places import ColumnPlace, UniquePlace


@dataclass(frozen=True, slots=True)
class AddUniqueKey:
    """No two rows may have the same values in these columns."""

    place: UniquePlace

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Make {columns} unique", columns=described(document, self.place))

    def apply_to(self, document: Document) -> Document:
        """The document with the key; raises EditError when it is there already or a column is gone."""
        table = table_at(document, self.place.table)
        columns = tuple(column_at(document, ColumnPlace(table.key, key))[1] for key in self.place.columns)
        if not columns:
            raise EditError(message("A unique key needs a column."))
        if any(set(key.column_keys) == set(self.place.columns) for key in table.unique_keys):
            raise EditError(message("{columns} is unique already.", columns=described(document, self.place)))
        keys = (*table.unique_keys, new_unique_key(table, columns))
        return document.with_tables(replace(table, unique_keys=keys))


@dataclass(frozen=True, slots=True)
class RemoveUniqueKey:
    """Rows may have the same values in these columns again."""

    place: UniquePlace

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Let {columns} repeat", columns=described(document, self.place))

    def apply_to(self, document: Document) -> Document:
        """The document without the key; raises EditError when it is gone."""
        table = table_at(document, self.place.table)
        kept = tuple(key for key in table.unique_keys if key.place(table.key) != self.place)
        if len(kept) == len(table.unique_keys):
            raise EditError(message("This unique key of {table} is no longer there.", table=table.name))
        return document.with_tables(replace(table, unique_keys=kept))
