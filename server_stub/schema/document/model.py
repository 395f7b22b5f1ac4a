"""The typed view of a complete schema document, and how a document is read into it (wire §5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any


class AutoColumn(StrEnum):
    """Columns that tables, nested tables or hierarchies have without listing them (wire §5)."""

    PRIMARY_KEY = "auto_column_primary_key"
    UPLINK = "auto_column_uplink"
    PARENT = "auto_column_parent"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that a key names: one of the table's columns by id, or an automatic one."""

    column: int | AutoColumn
    unique_true: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of a range check; an open end is not part of the range."""

    value: int | float | str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """What a column's values must fulfil in addition to their type."""

    kind: str | None = None
    regexp: str | None = None
    flags: str = ""
    lower: Bound | None = None
    upper: Bound | None = None
    length_min: int | None = None
    length_max: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column that holds values."""

    id: int
    name: str
    type: str
    not_null: bool = False
    default: object = None
    reverse_edit: bool = False
    check: Check = Check()

    @property
    def family(self) -> Family:
        """The family of the column's type; ValueError if the type is unknown."""
        found = family(self.type)
        if found is None:
            raise ValueError(f"unknown column type {self.type!r}")
        return found


@dataclass(frozen=True, slots=True)
class NestedLink:
    """The entry for a nested table in its owner's list of columns."""

    table_id: int
    check: str | None = None


@dataclass(frozen=True, slots=True)
class ReverseLink:
    """A link column of another table that is edited from the table it points to."""

    table_id: int
    column_id: int


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A link from columns of its table to another table's primary key."""

    name: str
    columns: tuple[Reference, ...]
    table_id: int
    referenced: tuple[Reference, ...]
    on_delete: str
    on_update: str


@dataclass(frozen=True, slots=True)
class UniqueKey:
    """Columns whose values together occur once."""

    name: str
    columns: tuple[Reference, ...]


@dataclass(frozen=True)
class Table:
    """An objecttype, or a nested table when it has an owner."""

    id: int
    name: str
    members: tuple[Column | NestedLink | ReverseLink, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique_keys: tuple[UniqueKey, ...] = ()
    owner_id: int | None = None
    is_hierarchical: bool = False
    pool_link: bool = False
    has_tags: bool = False
    flags: frozenset[str] = frozenset()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that hold values, in order."""
        return tuple(member for member in self.members if isinstance(member, Column))

    @cached_property
    def nested(self) -> tuple[NestedLink, ...]:
        """The entries for nested tables, in order."""
        return tuple(member for member in self.members if isinstance(member, NestedLink))

    @cached_property
    def reverse_links(self) -> tuple[ReverseLink, ...]:
        """The links of other tables that are edited here, in order."""
        return tuple(member for member in self.members if isinstance(member, ReverseLink))

    @cached_property
    def columns_by_id(self) -> dict[int, Column]:
        """The columns that hold values, by id."""
        return {column.id: column for column in self.columns}

    def links_of(self, column: Column) -> tuple[ForeignKey, ...]:
        """The foreign keys that name a column."""
        reference = Reference(column.id)
        return tuple(key for key in self.foreign_keys if reference in key.columns)


@dataclass(frozen=True)
class Schema:
    """One version of the user database schema (§2.4)."""

    version: int
    tables: tuple[Table, ...]
    languages: tuple[str, ...] = ()

    @cached_property
    def tables_by_id(self) -> dict[int, Table]:
        """All tables by id, including nested ones."""
        return {table.id: table for table in self.tables}

    @cached_property
    def table_names(self) -> frozenset[str]:
        """The names of all tables, including nested ones."""
        return frozenset(table.name for table in self.tables)

    def root_of(self, table: Table) -> Table:
        """The top-level table that a nested table belongs to; the table itself when it has no owner."""
        while table.owner_id is not None:
            table = self.tables_by_id[table.owner_id]
        return table


JsonObject = Mapping[str, Any]


def read_schema(document: JsonObject) -> Schema:
    """The typed view of a document whose ids and names are all filled in."""
    return Schema(
        version=document["version"],
        tables=tuple(_table(table) for table in document["tables"]),
        languages=tuple(document.get("l10n_languages") or ()),
    )


def _table(table: JsonObject) -> Table:
    owner = table.get("owned_by")
    return Table(
        id=table["table_id"],
        name=table["name"],
        members=tuple(_member(column) for column in items(table, "columns")),
        foreign_keys=tuple(_foreign_key(key) for key in items(table, "foreign_keys")),
        unique_keys=tuple(UniqueKey(key["name"], _references(key)) for key in items(table, "unique_keys")),
        owner_id=owner and owner["other_table_id"],
        is_hierarchical=table.get("is_hierarchical") is True,
        pool_link=table.get("pool_link") is True,
        has_tags=table.get("has_tags") is True,
        flags=frozenset(name for name, value in table.items() if value is True),
    )


def items(holder: JsonObject, name: str) -> list[dict[str, Any]]:
    """The list under a key; empty if the key is missing or null."""
    found: list[dict[str, Any]] | None = holder.get(name)
    return found or []


def _member(column: JsonObject) -> Column | NestedLink | ReverseLink:
    match column["kind"]:
        case "link":
            return NestedLink(column["other_table_id"], column.get("check"))
        case "reverse_link":
            return ReverseLink(column["other_table_id"], column["other_column_id"])
        case _:
            return _column(column)


def _column(column: JsonObject) -> Column:
    return Column(
        id=column["column_id"],
        name=column["name"],
        type=column["type"],
        not_null=column.get("not_null") is True,
        default=column.get("default"),
        reverse_edit=column.get("reverse_edit") is True,
        check=_check(column),
    )


def _check(column: JsonObject) -> Check:
    return Check(
        kind=column.get("check"),
        regexp=column.get("check_regexp"),
        flags=column.get("check_regexp_flags") or "",
        lower=_bound(column, "check_range_lower"),
        upper=_bound(column, "check_range_upper"),
        length_min=column.get("length_min"),
        length_max=column.get("length_max"),
    )


def _bound(column: JsonObject, name: str) -> Bound | None:
    value = column.get(name)
    return None if value is None else Bound(value, column.get(f"{name}_open") is True)


def _foreign_key(key: JsonObject) -> ForeignKey:
    target = key["referenced_table"]
    return ForeignKey(
        name=key["name"],
        columns=_references(key),
        table_id=target["table_id"],
        referenced=_references(target),
        on_delete=key.get("on_delete") or "restrict",
        on_update=key.get("on_update") or "cascade",
    )


def _references(holder: JsonObject) -> tuple[Reference, ...]:
    return tuple(_reference(reference) for reference in holder["columns"])


def _reference(reference: JsonObject) -> Reference:
    column = next((auto for auto in AutoColumn if reference.get(auto) is True), None)
    return Reference(column or reference["column_id"], reference.get("unique_true") is True)


class Family(StrEnum):
    """Types that hold the same kind of value, independent of their spelling."""

    TEXT = "text"
    LOCALIZED = "localized text"
    NUMBER = "number"
    SERIAL = "serial number"
    DECIMAL = "decimal number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATE_TIME = "date and time"
    DATE_RANGE = "date range"
    FILE = "file"
    LINK = "link"
    CUSTOM = "custom data"


_FAMILIES = {
    "text": Family.TEXT,
    "text_oneline": Family.TEXT,
    "string": Family.TEXT,
    "text_l10n": Family.LOCALIZED,
    "text_l10n_oneline": Family.LOCALIZED,
    "number": Family.NUMBER,
    "integer": Family.NUMBER,
    "serial": Family.SERIAL,
    "integer.2": Family.DECIMAL,
    "decimal.2": Family.DECIMAL,
    "boolean": Family.BOOLEAN,
    "date": Family.DATE,
    "date_time": Family.DATE_TIME,
    "datetime": Family.DATE_TIME,
    "date_range": Family.DATE_RANGE,
    "daterange": Family.DATE_RANGE,
    "eas": Family.FILE,
    "assetsvc": Family.FILE,
    "link": Family.LINK,
}
_CUSTOM = re.compile(r"custom:base(\.[A-Za-z0-9_-]+){2,}")

TEXT_LIKE = frozenset({Family.TEXT, Family.LOCALIZED})
NUMBERS = frozenset({Family.NUMBER, Family.SERIAL, Family.DECIMAL})
DATES = frozenset({Family.DATE, Family.DATE_TIME, Family.DATE_RANGE})

_CHANGES = {
    Family.TEXT: TEXT_LIKE,
    Family.LOCALIZED: TEXT_LIKE,
    Family.DATE: TEXT_LIKE | {Family.DATE_TIME, Family.DATE_RANGE},
    Family.DATE_TIME: TEXT_LIKE | {Family.DATE, Family.DATE_RANGE},
    Family.DATE_RANGE: TEXT_LIKE,
    Family.NUMBER: TEXT_LIKE | {Family.DECIMAL},
    Family.DECIMAL: TEXT_LIKE | {Family.NUMBER},
}


@lru_cache(maxsize=256)
def family(type_name: str) -> Family | None:
    """The family of a type as a document spells it, None when there is no such type."""
    if _CUSTOM.fullmatch(type_name):
        return Family.CUSTOM
    return _FAMILIES.get(type_name)


def is_plain_cast(before: Family, after: Family) -> bool:
    """Whether every database's own CAST converts any value as we would, so that no row need be read."""
    return (before, after) == (Family.NUMBER, Family.TEXT)


def may_change(old: str, new: str) -> bool:
    """Whether an existing column of type `old` may become one of type `new`."""
    before, after = family(old), family(new)
    if before is None or after is None:
        return False
    if before is after:
        return before is not Family.CUSTOM or old == new
    return after in _CHANGES.get(before, frozenset())


def at_table(table: object) -> str:
    """The beginning of a message about a table."""
    return f'Table "{table}"'


def at_column(table: object, column: object) -> str:
    """The beginning of a message about a column."""
    return f'{at_table(table)}, column "{column}"'


def at_key(table: object, key: object) -> str:
    """The beginning of a message about a foreign key or a unique key."""
    return f'{at_table(table)}, key "{key}"'
