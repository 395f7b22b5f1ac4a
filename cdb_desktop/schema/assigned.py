"""What saving gave: the ids of new elements, brought into every older state and every selection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cdb_desktop.schema.document import Document
from cdb_desktop.schema.identity import Identities, Identity, identified
from cdb_desktop.schema.places import (
    ColumnPlace,
    DocumentPlace,
    NestedPlace,
    Place,
    ReversePlace,
    TablePlace,
    UniquePlace,
)


@dataclass(frozen=True, slots=True)
class Assigned:
    """The ids of tables and columns by the keys that they had when they were sent."""

    tables: Mapping[int, int]
    columns: Mapping[int, int]

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)

    def place(self, place: Place) -> Place:
        """Where the same element is now."""
        match place:
            case DocumentPlace():
                return place
            case TablePlace(table):
                return TablePlace(self.table(table))
            case ColumnPlace(table, column):
                return ColumnPlace(self.table(table), self.column(column))
            case NestedPlace(table, nested):
                return NestedPlace(self.table(table), self.table(nested))
            case ReversePlace(table, other_table, other_column):
                return ReversePlace(self.table(table), self.table(other_table), self.column(other_column))
            case UniquePlace(table, columns):
                return UniquePlace(self.table(table), tuple(self.column(key) for key in columns))

    def table(self, key: int) -> int:
        """The key that a table has now."""
        return self.tables.get(key, key)

    def column(self, key: int) -> int:
        """The key that a column has now."""
        return self.columns.get(key, key)


def assigned(sent: Document, answer: Document) -> Assigned:
    """The ids that the service gave to the elements of a document that had none that it knew (wire §5)."""
    by_name = {table.name: table for table in answer.tables}
    tables: dict[int, int] = {}
    columns: dict[int, int] = {}
    for table in sent.tables:
        found = answer.by_key.get(table.key) or by_name.get(table.name)
        if found is None:
            continue
        if found.key != table.key:
            tables[table.key] = found.key
        names = {column.name: column.key for column in found.columns}
        new = (column for column in table.columns if column.key not in found.by_key)
        columns.update((column.key, names[column.name]) for column in new if column.name in names)
    return Assigned(tables, columns)


def with_assigned(documents: Iterable[Document], ids: Assigned) -> tuple[Document, ...]:
    """The documents with the ids at the elements that got them; tables that they share stay shared."""
    identities = Identities(
        tables={key: Identity(id_, id_) for key, id_ in ids.tables.items()},
        columns={key: Identity(id_, id_) for key, id_ in ids.columns.items()},
    )
    return identified(documents, identities)
