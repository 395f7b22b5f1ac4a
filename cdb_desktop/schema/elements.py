"""The parts of a table as frozen values around the attributes that came, so that nothing is lost (wire §5).

``raw`` holds all attributes of an element but its parts; keys of other elements stand beside it, resolved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from cdb_desktop.schema.places import ColumnPlace, NestedPlace, Place, ReversePlace, TablePlace, UniquePlace

Raw = Mapping[str, object]

PRIMARY_KEY = "auto_column_primary_key"
AUTOMATIC = (PRIMARY_KEY, "auto_column_uplink", "auto_column_parent")


@dataclass(frozen=True, slots=True)
class Reference:
    """A column named by a key; ``key`` is None for an automatic column and for one that is not there."""

    raw: Raw
    key: int | None = None

    @property
    def automatic(self) -> str:
        """The attribute that names an automatic column, empty for one of the document."""
        return next((name for name in AUTOMATIC if self.raw.get(name)), "")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that holds values of its own (kind ``column``)."""

    raw: Raw
    key: int

    @property
    def id(self) -> int | None:
        """The service's id as it came."""
        return number(self.raw, "column_id")

    @property
    def name(self) -> str:
        """Its name, empty where none stands."""
        return text(self.raw, "name")

    @property
    def type(self) -> str:
        """Its type as it is spelt, empty where none stands."""
        return text(self.raw, "type")

    @property
    def is_link(self) -> bool:
        """Whether it links to another objecttype."""
        return self.raw.get("type") == "link"

    def flag(self, name: str) -> bool:
        """Whether an option such as ``not_null`` is on."""
        return self.raw.get(name) is True

    def place(self, table: int) -> Place:
        """Where it is."""
        return ColumnPlace(table, self.key)


@dataclass(frozen=True, slots=True)
class NestedLink:
    """The entry that holds a nested table (kind ``link``); ``table`` is None where it is not there."""

    raw: Raw
    table: int | None

    def place(self, table: int) -> Place:
        """Where it is."""
        return NestedPlace(table, self.table or number(self.raw, "other_table_id") or 0)


@dataclass(frozen=True, slots=True)
class ReverseLink:
    """The entry through which another table's links are edited (kind ``reverse_link``)."""

    raw: Raw
    table: int | None
    column: int | None

    def place(self, table: int) -> Place:
        """Where it is."""
        other = self.table or number(self.raw, "other_table_id") or 0
        return ReversePlace(table, other, self.column or number(self.raw, "other_column_id") or 0)


@dataclass(frozen=True, slots=True)
class UnknownEntry:
    """An entry of a kind that this program does not know; it is kept as it is."""

    raw: Raw

    def place(self, table: int) -> Place:
        """The table: nothing is known by which the entry could be told."""
        return TablePlace(table)


Entry = Column | NestedLink | ReverseLink | UnknownEntry


@dataclass(frozen=True, slots=True)
class _Key:
    """What all keys have: their columns, and perhaps a name."""

    raw: Raw
    columns: tuple[Reference, ...]

    @property
    def name(self) -> str:
        """Its name, empty where none stands."""
        return text(self.raw, "name")

    @property
    def column_keys(self) -> tuple[int, ...]:
        """The columns that are there."""
        return keys_of(self.columns)


@dataclass(frozen=True, slots=True)
class ForeignKey(_Key):
    """What a link column points to; ``target`` is None where that table is not there."""

    target_raw: Raw
    target: int | None
    target_columns: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class UniqueKey(_Key):
    """Columns of which no two rows have the same values."""

    def place(self, table: int) -> UniquePlace:
        """Where it is."""
        return UniquePlace(table, self.column_keys)


def keys_of(references: tuple[Reference, ...]) -> tuple[int, ...]:
    """The keys of the columns that references name."""
    return tuple(reference.key for reference in references if reference.key is not None)


def text(raw: Raw, name: str) -> str:
    """An attribute as text, empty where none stands."""
    value = raw.get(name)
    return value if isinstance(value, str) else ""


def number(raw: Raw, name: str) -> int | None:
    """An attribute as an integer, None where none stands."""
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def shown_value(value: object) -> str:
    """A value of an attribute as a person reads it: texts as they are, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
