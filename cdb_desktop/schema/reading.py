"""Reads a schema document as it came from the service or a file (wire §5): ids and hints become keys.

A defective model opens as long as it has the form of one; what is wrong with it is validation's to say.
"""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import (
    Column,
    Entry,
    ForeignKey,
    NestedLink,
    Reference,
    ReverseLink,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.resolving import Index, Keys, hint_of
from cdb_desktop.schema.shape import DocumentError, Json, a_text, an_id, an_object, below, objects

_PARTS = ("columns", "foreign_keys", "unique_keys")


def read(raw: Json) -> Document:
    """The document; raises DocumentError for what has not the form of one."""
    if raw.get("tables") is None:
        raise DocumentError("tables", message("A schema has a list of tables; there is none."))
    an_id(raw, "version", "")
    index = Index()
    met = [
        _Met.of(table, f"tables[{number}]", index) for number, table in enumerate(objects(raw, "tables", ""))
    ]
    return Document(hollow(raw, "tables"), tuple(table.read(index) for table in met))


def hollow(raw: Json, *parts: str) -> Json:
    """A copy in which an empty tuple holds the place of each part that stands."""
    return {name: () if name in parts and value is not None else value for name, value in raw.items()}


@dataclass(frozen=True, slots=True)
class _Met:
    """A table whose key and columns' keys are known, before references are looked up."""

    raw: Json
    place: str
    key: int
    columns: list[Json]
    column_keys: list[int]

    @classmethod
    def of(cls, raw: Json, place: str, index: Index) -> _Met:
        name = a_text(raw, "name", place)
        key = index.tables.add(an_id(raw, "table_id", place), name or "")
        columns = objects(raw, "columns", place)
        keys = index.columns.setdefault(key, Keys(index.column_keys))
        places = (f"{place}.columns[{number}]" for number in range(len(columns)))
        column_keys = [_column_key(keys, *found) for found in zip(columns, places, strict=False)]
        return cls(raw, place, key, columns, column_keys)

    def read(self, index: Index) -> Table:
        owned_by = self.raw.get("owned_by")
        place = below(self.place, "owned_by")
        owner = None if owned_by is None else index.table(an_object(owned_by, place), place)
        return Table(
            raw=hollow(self.raw, *_PARTS),
            key=self.key,
            owner=owner,
            entries=tuple(self._entry(index, number) for number in range(len(self.columns))),
            foreign_keys=tuple(self._foreign_key(index, *found) for found in self._parts("foreign_keys")),
            unique_keys=tuple(self._unique_key(index, *found) for found in self._parts("unique_keys")),
        )

    def _parts(self, name: str) -> list[tuple[Json, str]]:
        found = objects(self.raw, name, self.place)
        return [(item, f"{self.place}.{name}[{number}]") for number, item in enumerate(found)]

    def _entry(self, index: Index, number: int) -> Entry:
        raw = self.columns[number]
        kind = raw.get("kind")
        if kind == "column":
            return Column(dict(raw), self.column_keys[number])
        place = f"{self.place}.columns[{number}]"
        if kind == "link":
            return NestedLink(dict(raw), index.table(raw, place))
        if kind == "reverse_link":
            table = index.table(raw, place)
            return ReverseLink(dict(raw), table, index.column(table, raw, place, "other_column"))
        return UnknownEntry(dict(raw))

    def _foreign_key(self, index: Index, raw: Json, place: str) -> ForeignKey:
        where = below(place, "referenced_table")
        target_raw = an_object(raw.get("referenced_table"), where)
        target = index.tables.find(an_id(target_raw, "table_id", where), hint_of(target_raw, where))
        return ForeignKey(
            raw=hollow(raw, "columns", "referenced_table"),
            columns=self._references(index, self.key, raw, place),
            target_raw=hollow(target_raw, "columns"),
            target=target,
            target_columns=self._references(index, target, target_raw, where),
        )

    def _unique_key(self, index: Index, raw: Json, place: str) -> UniqueKey:
        return UniqueKey(hollow(raw, "columns"), self._references(index, self.key, raw, place))

    def _references(self, index: Index, table: int | None, raw: Json, place: str) -> tuple[Reference, ...]:
        found = enumerate(objects(raw, "columns", place))
        return tuple(
            Reference(dict(item), index.column(table, item, f"{place}.columns[{number}]", "column"))
            for number, item in found
        )


def _column_key(keys: Keys, raw: Json, place: str) -> int:
    if raw.get("kind") != "column":
        return 0
    a_text(raw, "type", place)
    return keys.add(an_id(raw, "column_id", place), a_text(raw, "name", place) or "")
