"""Definitions of tables and columns of the demo data model, and schema documents made from them (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

_LAST = 99


class LocalizedLabel(msgspec.Struct, frozen=True):
    """A name in the user interface."""

    german: str
    english: str


class VersionRange(msgspec.Struct, frozen=True):
    """The versions of the schema that have an element, both ends inclusive."""

    first: int = 1
    last: int = _LAST

    def covers(self, version: int) -> bool:
        """Whether a version is in the range."""
        return self.first <= version <= self.last


ALWAYS = VersionRange()


def since(version: int) -> VersionRange:
    """From a version on."""
    return VersionRange(first=version)


def until(version: int) -> VersionRange:
    """Up to a version."""
    return VersionRange(last=version)


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column; `was` is its name before a rename, `target` the objecttype it links to."""

    name: str
    type: str
    label: LocalizedLabel
    versions: VersionRange = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    was: str | None = None
    target: str | None = None


class ReverseLinkDefinition(msgspec.Struct, frozen=True):
    """A column of another table that links to this one and is edited here."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A table; a nested one is a member of its owner and named without the owner's prefix."""

    name: str
    label: LocalizedLabel
    members: tuple[Member, ...]
    versions: VersionRange = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    unique: tuple[tuple[str, ...], ...] = ()


Member = ColumnDefinition | ReverseLinkDefinition | TableDefinition


def column(
    name: str,
    type_: str,
    german: str,
    english: str,
    versions: VersionRange = ALWAYS,
    **options: object,
) -> ColumnDefinition:
    """A column that holds values; `options` are attributes of the document."""
    return ColumnDefinition(name, type_, LocalizedLabel(german, english), versions, options)


def link(name: str, target: str, german: str, english: str, **options: object) -> ColumnDefinition:
    """A column that links to an objecttype."""
    return ColumnDefinition(name, "link", LocalizedLabel(german, english), ALWAYS, options, target=target)


def nested(
    name: str,
    german: str,
    english: str,
    *members: Member,
    versions: VersionRange = ALWAYS,
    unique: tuple[tuple[str, ...], ...] = (),
) -> TableDefinition:
    """A nested table; its unique keys apply within one row of the owner."""
    return TableDefinition(name, LocalizedLabel(german, english), members, versions, unique=unique)


GERMAN, ENGLISH = "de-DE", "en-US"
_SEPARATOR = "__"

Document = dict[str, Any]


def document(objecttypes: Sequence[TableDefinition], version: int, before: Document | None) -> Document:
    """The document to post as HEAD; elements of the HEAD `before` keep their ids.

    `version` selects the elements; the `version` in the document is that of the HEAD `before`.
    """
    ids = _KnownIds(before)
    tables = [
        _table(definition, name, owner, version, ids)
        for name, owner, definition in _flat(objecttypes, version)
    ]
    posted: Document = {"version": 1, "tables": tables, "l10n_languages": [GERMAN, ENGLISH]}
    return posted if before is None else {**before, **posted, "version": before["version"]}


def localized_names(objecttypes: Sequence[TableDefinition], version: int) -> dict[str, dict[str, str]]:
    """The `keys` of a version: `schema.<table>.name` and `schema.<table>.column.<column>`."""
    names = {}
    for name, owner, definition in _flat(objecttypes, version):
        names[f"schema.{name}.name"] = _texts(definition)
        if owner is not None:
            names[f"schema.{owner}.column.{name}"] = _texts(definition)
        for member in definition.members:
            if isinstance(member, ColumnDefinition) and member.versions.covers(version):
                names[f"schema.{name}.column.{member.name}"] = _texts(member)
    return names


def _texts(definition: ColumnDefinition | TableDefinition) -> dict[str, str]:
    return {GERMAN: definition.label.german, ENGLISH: definition.label.english}


def table_names(objecttypes: Sequence[TableDefinition], version: int) -> list[str]:
    """The names of all tables of a version, including nested ones."""
    return [name for name, _, _ in _flat(objecttypes, version)]


class _KnownIds:
    """The ids in an earlier document by name."""

    def __init__(self, before: Document | None) -> None:
        tables = [] if before is None else before["tables"]
        self._tables: Mapping[str, int] = {table["name"]: table["table_id"] for table in tables}
        self._columns: Mapping[tuple[str, str], int] = {
            (table["name"], column["name"]): column["column_id"]
            for table in tables
            for column in table["columns"]
            if column["kind"] == "column"
        }

    def of_table(self, name: str) -> Document:
        """The id as an attribute; empty for a new table."""
        return {"table_id": self._tables[name]} if name in self._tables else {}

    def of_column(self, table: str, field: ColumnDefinition) -> Document:
        """The id as an attribute, also of a renamed column; empty for a new one."""
        known = self._columns.get((table, field.name), self._columns.get((table, field.was or "")))
        return {} if known is None else {"column_id": known}


def _flat(
    objecttypes: Sequence[TableDefinition], version: int, owner: str | None = None
) -> Iterator[tuple[str, str | None, TableDefinition]]:
    for definition in objecttypes:
        if definition.versions.covers(version):
            name = definition.name if owner is None else owner + _SEPARATOR + definition.name
            yield name, owner, definition
            inner = [member for member in definition.members if isinstance(member, TableDefinition)]
            yield from _flat(inner, version, name)


def _table(
    definition: TableDefinition, name: str, owner: str | None, version: int, ids: _KnownIds
) -> Document:
    members = [
        member
        for member in definition.members
        if isinstance(member, ReverseLinkDefinition) or member.versions.covers(version)
    ]
    made = {
        **ids.of_table(name),
        "name": name,
        **definition.options,
        "columns": [_member(name, member, ids) for member in members],
        "foreign_keys": [
            _foreign_key(member)
            for member in members
            if isinstance(member, ColumnDefinition) and member.target
        ],
        "unique_keys": [_unique_key(columns, owner) for columns in definition.unique],
    }
    return made if owner is None else {**made, "owned_by": {"other_table_name_hint": owner}}


def _member(table: str, member: Member, ids: _KnownIds) -> Document:
    if isinstance(member, TableDefinition):
        return {"kind": "link", "other_table_name_hint": table + _SEPARATOR + member.name}
    if isinstance(member, ReverseLinkDefinition):
        return {
            "kind": "reverse_link",
            "other_table_name_hint": member.table,
            "other_column_name_hint": member.column,
        }
    plain = {"kind": "column", "name": member.name, "type": member.type, "not_null": False}
    return {**ids.of_column(table, member), **plain, **member.options}


def _foreign_key(field: ColumnDefinition) -> Document:
    return {
        "on_delete": "cascade" if field.options.get("reverse_edit") else "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": field.name}],
        "referenced_table": {"name_hint": field.target, "columns": [{"auto_column_primary_key": True}]},
    }


def _unique_key(columns: Sequence[str], owner: str | None) -> Document:
    """A unique key; that of a nested table applies within one row of the owner."""
    references: list[Document] = [{"column_name_hint": name} for name in columns]
    return {"columns": references if owner is None else [{"auto_column_uplink": True}, *references]}
