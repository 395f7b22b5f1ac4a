"""A schema document as immutable values with look-ups; an edit makes a new one that shares what is unchanged.

``raw`` holds all attributes of an element but its parts, so that nothing is lost (wire §5); references to
other elements are resolved to keys beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_values import Json, int_attribute, text_attribute, without

PRIMARY_KEY = "auto_column_primary_key"
UPLINK = "auto_column_uplink"
# An option of tables: pairs of links through which a relation is seen from both of its ends.
BIDIRECTIONAL = "bidirectional"
# Attributes that say which version it is, managed by the service.
VERSION_ATTRIBUTES = (
    "version",
    "based_on_version",
    "based_on_base_version",
    "committed_at",
    "max_table_id",
    "max_column_id",
)
# Attributes that are no options.
TABLE_PARTS = frozenset({"table_id", "name", "owned_by", "columns", "foreign_keys", "unique_keys"})
OTHER_PARTS = frozenset(
    {"kind", "other_table_id", "other_table_name_hint", "other_column_id", "other_column_name_hint"}
)
ENTRY_PARTS = frozenset({"name", "type", "column_id", *OTHER_PARTS})
# Attributes of keys and of their parts that name elements.
OF_KEYS = frozenset({"columns", "referenced_table"})
_OF_REFERENCES = ("column_id", "column_name_hint")
_OF_TARGETS = ("table_id", "name_hint", "table_name_hint", "columns")
AUTOMATIC = (PRIMARY_KEY, UPLINK, "auto_column_parent")


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column named by a key; ``key`` is None for an automatic column and for one that does not exist."""

    raw: Json
    key: int | None = None

    @property
    def automatic(self) -> str:
        """The attribute that names an automatic column, empty for one of the document."""
        return next((name for name in AUTOMATIC if self.raw.get(name)), "")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that stores values (kind ``column``)."""

    raw: Json
    key: int

    @property
    def id(self) -> int | None:
        """The service's id, or None."""
        return int_attribute(self.raw, "column_id")

    @property
    def name(self) -> str:
        """Its name, or empty."""
        return text_attribute(self.raw, "name")

    @property
    def type(self) -> str:
        """Its type, or empty."""
        return text_attribute(self.raw, "type")

    @property
    def is_link(self) -> bool:
        """Whether it links to another objecttype."""
        return self.raw.get("type") == "link"

    def flag(self, name: str) -> bool:
        """Whether an option such as ``not_null`` is on."""
        return self.raw.get(name) is True

    def ref(self, table: int) -> ElementRef:
        """The reference to it in its table."""
        return ColumnRef(table, self.key)


@dataclass(frozen=True, slots=True)
class NestedTableEntry:
    """The entry that holds a nested table (kind ``link``); ``table`` is None if it does not exist."""

    raw: Json
    table: int | None

    def ref(self, table: int) -> ElementRef:
        """The reference to it in its table."""
        return NestedTableRef(table, self.table or int_attribute(self.raw, "other_table_id") or 0)


@dataclass(frozen=True, slots=True)
class ReverseLink:
    """The entry through which another table's links are edited (kind ``reverse_link``)."""

    raw: Json
    table: int | None
    column: int | None

    def ref(self, table: int) -> ElementRef:
        """The reference to it in its table."""
        other = self.table or int_attribute(self.raw, "other_table_id") or 0
        return ReverseLinkRef(table, other, self.column or int_attribute(self.raw, "other_column_id") or 0)


@dataclass(frozen=True, slots=True)
class UnknownEntry:
    """An entry of an unknown kind, kept unchanged."""

    raw: Json

    def ref(self, table: int) -> ElementRef:
        """The table, since nothing identifies the entry."""
        return TableRef(table)


TableEntry = Column | NestedTableEntry | ReverseLink | UnknownEntry


@dataclass(frozen=True, slots=True)
class _KeyBase:
    """The common part of all keys: their columns, and perhaps a name."""

    raw: Json
    columns: tuple[ColumnReference, ...]

    @property
    def name(self) -> str:
        """Its name, or empty."""
        return text_attribute(self.raw, "name")

    @property
    def column_keys(self) -> tuple[int, ...]:
        """The keys of those columns that exist."""
        return column_keys_of(self.columns)

    @property
    def all_columns(self) -> tuple[int | str, ...]:
        """The keys of its columns, with automatic ones by their attributes."""
        return tuple(one.automatic if one.key is None else one.key for one in self.columns)


@dataclass(frozen=True, slots=True)
class ForeignKey(_KeyBase):
    """The target of a link column; ``target`` is None if that table does not exist."""

    target_raw: Json
    target: int | None
    target_columns: tuple[ColumnReference, ...]


@dataclass(frozen=True, slots=True)
class UniqueKey(_KeyBase):
    """Columns of which no two rows have the same values."""

    def ref(self, table: int) -> UniqueKeyRef:
        """The reference to it in its table."""
        return UniqueKeyRef(table, self.column_keys)


def reference_attributes(references: Iterable[ColumnReference]) -> list[Json]:
    """What references say beside the columns that they name, in the columns' order."""
    ordered = sorted(references, key=lambda one: (one.key is None, one.key or 0))
    return [without(one.raw, _OF_REFERENCES) for one in ordered]


def target_attributes(key: ForeignKey) -> Json:
    """What a key says of its target beside which table and columns it is."""
    return without(key.target_raw, _OF_TARGETS)


def key_details(key: ForeignKey | UniqueKey) -> dict[str, object]:
    """The attributes of a key, with those of its parts where they say more than which element they name."""
    found = without(key.raw, OF_KEYS)
    references = {"columns": reference_attributes(key.columns)}
    if isinstance(key, ForeignKey):
        references["referenced_table"] = [target_attributes(key), *reference_attributes(key.target_columns)]
    return {**found, **{name: parts for name, parts in references.items() if any(parts)}}


def column_keys_of(references: tuple[ColumnReference, ...]) -> tuple[int, ...]:
    """The keys of those referenced columns that exist."""
    return tuple(reference.key for reference in references if reference.key is not None)


@dataclass(frozen=True)
class Table:
    """An objecttype or a nested table; ``owner`` is None for the former and if the owner does not exist."""

    raw: Json
    key: int
    owner: int | None
    entries: tuple[TableEntry, ...]
    foreign_keys: tuple[ForeignKey, ...]
    unique_keys: tuple[UniqueKey, ...]

    @property
    def id(self) -> int | None:
        """The service's id, or None."""
        return int_attribute(self.raw, "table_id")

    @property
    def name(self) -> str:
        """Its whole name, with the owner's for a nested table."""
        return text_attribute(self.raw, "name")

    @property
    def is_nested(self) -> bool:
        """Whether it has ``owned_by``."""
        return self.raw.get("owned_by") is not None

    def flag(self, name: str) -> bool:
        """Whether an option such as ``is_hierarchical`` is on."""
        return self.raw.get(name) is True

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The entries that store values, in order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Column))

    @cached_property
    def by_key(self) -> Mapping[int, Column]:
        """Its columns by their keys."""
        return {column.key: column for column in self.columns}

    def column_named_in(self, reference: object) -> Column | None:
        """The column that a reference in an option names, by its id or else by the name hint."""
        if not isinstance(reference, Mapping):
            return None
        id_, name = reference.get("column_id"), reference.get("column_name_hint")
        found = (one for one in self.columns if (one.name == name if id_ is None else one.id == id_))
        return next(found, None)

    @property
    def bidirectional(self) -> list[Json]:
        """Its pairs of bidirectional links as they are in the document."""
        found = self.raw.get(BIDIRECTIONAL)
        return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []

    @cached_property
    def links(self) -> Mapping[int, tuple[ForeignKey, ...]]:
        """The foreign keys of each column that has any, by the column's key."""
        found: dict[int, tuple[ForeignKey, ...]] = {}
        for foreign_key in self.foreign_keys:
            for key in foreign_key.column_keys:
                found[key] = (*found.get(key, ()), foreign_key)
        return found

    @cached_property
    def column_keys(self) -> frozenset[int]:
        """The keys of all columns that it contains or refers to."""
        targets = (column_keys_of(key.target_columns) for key in self.foreign_keys)
        named = (entry.column for entry in self.entries if isinstance(entry, ReverseLink))
        found = (*self.by_key, *(key for keys in targets for key in keys), *named)
        return frozenset(key for key in found if key is not None)

    @cached_property
    def refers_to(self) -> frozenset[int]:
        """The keys of all tables that it refers to."""
        return frozenset(key for key in self._named() if key is not None)

    def _named(self) -> Iterator[int | None]:
        yield self.owner
        yield from (foreign_key.target for foreign_key in self.foreign_keys)
        yield from (
            entry.table for entry in self.entries if isinstance(entry, NestedTableEntry | ReverseLink)
        )


NamedRef = TableRef | ColumnRef
LocalNames = Mapping[NamedRef, Mapping[str, str]]


@dataclass(frozen=True)
class Document:
    """All tables of one version; ``raw`` holds the attributes of the document but its tables.

    ``local_names`` are the localized names that were edited since they were read, by element and language.
    They are no part of the document that services take, nor of comparisons with ``==``. ``tag`` names the
    content on a service that offers that, for as long as it is unchanged.
    """

    raw: Json
    tables: tuple[Table, ...]
    local_names: LocalNames = field(default_factory=dict, compare=False)
    tag: str = field(default="", compare=False)

    @property
    def version(self) -> int | None:
        """The version as which it was read."""
        return int_attribute(self.raw, "version")

    @cached_property
    def by_key(self) -> Mapping[int, Table]:
        """The tables by their keys."""
        return {table.key: table for table in self.tables}

    @cached_property
    def column_keys(self) -> frozenset[int]:
        """The keys of the columns of all tables."""
        return frozenset(key for table in self.tables for key in table.by_key)

    @cached_property
    def nested(self) -> Mapping[int, tuple[int, ...]]:
        """The keys of the tables that each owner owns, in the document's order."""
        found: dict[int, tuple[int, ...]] = {}
        for table in self.tables:
            if table.owner is not None:
                found[table.owner] = (*found.get(table.owner, ()), table.key)
        return found

    def contains(self, ref: TableRef | ColumnRef) -> bool:
        """Whether the table or column exists."""
        table = self.by_key.get(ref.table)
        return table is not None and (isinstance(ref, TableRef) or ref.column in table.by_key)

    def nested_below(self, key: int) -> tuple[int, ...]:
        """The keys of all tables nested in a table, to any depth, without the table itself."""
        found: dict[int, None] = {}
        waiting = [key]
        while waiting:
            for below in self.nested.get(waiting.pop(), ()):
                if below not in found and below != key:
                    found[below] = None
                    waiting.append(below)
        return tuple(found)

    def referring_to(self, keys: frozenset[int]) -> tuple[Table, ...]:
        """The tables that refer to one of these tables."""
        return tuple(table for table in self.tables if not keys.isdisjoint(table.refers_to))

    def with_tables(self, *tables: Table) -> Document:
        """The document with these instead of the tables with the same keys."""
        changed = {table.key: table for table in tables}
        return replace(self, tables=tuple(changed.get(table.key, table) for table in self.tables))
