"""The demo data model of a museum: three committed versions and a HEAD that differs (wire §5).

Its tables are in `resources/demo/museum.json`, with the versions of the schema that have each of them, and
its objects in `resources/demo/objects.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Connection, column, insert, table

from server_stub.demo.people import ObjectStock
from server_stub.foundation.resources import resource

CURRENT_VERSION = 3
HEAD_VERSION = 4

GERMAN, ENGLISH = "de-DE", "en-US"
_SEPARATOR = "__"

Document = dict[str, Any]


class _Definition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="member"):
    """What tables and columns have in common; `options` are attributes of the document."""

    name: str
    german: str
    english: str
    since: int = 1
    until: int = HEAD_VERSION
    options: Mapping[str, Any] = {}

    def is_in(self, version: int) -> bool:
        """Whether a version of the schema has this element."""
        return self.since <= version <= self.until

    def texts(self) -> dict[str, str]:
        """The name by language."""
        return {GERMAN: self.german, ENGLISH: self.english}


class _Column(_Definition, frozen=True, tag="column"):
    """A column; `was` is its name before a rename, `target` the objecttype it links to."""

    type: str
    was: str = ""
    target: str | None = None


class _ReverseLink(msgspec.Struct, frozen=True, tag_field="member", tag="reverse_link"):
    """A column of another table that links to this one and is edited here."""

    table: str
    column: str


class _Table(_Definition, frozen=True, tag="table"):
    """A table; a nested one is a member of its owner and named without the owner's prefix."""

    members: list[_Column | _ReverseLink | _Table]
    unique: list[list[str]] = []

    def members_in(self, version: int) -> list[_Column | _ReverseLink | _Table]:
        """The members that a version has."""
        return [
            member for member in self.members if isinstance(member, _ReverseLink) or member.is_in(version)
        ]


_MUSEUM = msgspec.json.decode(resource("demo/museum.json").read_bytes(), type=list[_Table])


def museum_document(version: int, before: Document | None) -> Document:
    """The document of a version, to post as HEAD; `before` is the HEAD as read, whose ids are kept.

    `version` selects the elements; the `version` in the document is that of the HEAD `before`.
    """
    ids = _KnownIds(before)
    tables = [_table(definition, name, owner, version, ids) for name, owner, definition in _tables(version)]
    posted: Document = {"version": 1, "tables": tables, "l10n_languages": [GERMAN, ENGLISH]}
    return posted if before is None else {**before, **posted, "version": before["version"]}


def museum_names(version: int = HEAD_VERSION) -> dict[str, dict[str, str]]:
    """The localised names of a version by key, `schema.<table>.name` or `schema.<table>.column.<column>`."""
    names = {}
    for name, owner, definition in _tables(version):
        names[f"schema.{name}.name"] = definition.texts()
        if owner is not None:
            names[f"schema.{owner}.column.{name}"] = definition.texts()
        for member in definition.members_in(version):
            if isinstance(member, _Column):
                names[f"schema.{name}.column.{member.name}"] = member.texts()
    return names


def objecttypes(version: int) -> tuple[str, ...]:
    """The names of the top-level tables of a version."""
    return tuple(definition.name for definition in _MUSEUM if definition.is_in(version))


def museum_tables(version: int) -> list[str]:
    """The names of all tables of a version, including nested ones."""
    return [name for name, _, _ in _tables(version)]


def _tables(
    version: int, definitions: Sequence[object] = _MUSEUM, owner: str | None = None
) -> Iterator[tuple[str, str | None, _Table]]:
    """The tables of a version with their full names and those of their owners."""
    for definition in definitions:
        if isinstance(definition, _Table) and definition.is_in(version):
            name = definition.name if owner is None else owner + _SEPARATOR + definition.name
            yield name, owner, definition
            yield from _tables(version, definition.members, name)


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

    def of_column(self, table: str, column: _Column) -> Document:
        """The id as an attribute, also of a renamed column; empty for a new one."""
        known = self._columns.get((table, column.name), self._columns.get((table, column.was)))
        return {} if known is None else {"column_id": known}


def _table(definition: _Table, name: str, owner: str | None, version: int, ids: _KnownIds) -> Document:
    members = definition.members_in(version)
    made = {
        **ids.of_table(name),
        "name": name,
        **definition.options,
        "columns": [_member(name, member, ids) for member in members],
        "foreign_keys": [
            _foreign_key(member) for member in members if isinstance(member, _Column) and member.target
        ],
        "unique_keys": [_unique_key(columns, owner) for columns in definition.unique],
    }
    return made if owner is None else {**made, "owned_by": {"other_table_name_hint": owner}}


def _member(table: str, member: _Column | _ReverseLink | _Table, ids: _KnownIds) -> Document:
    match member:
        case _Table():
            return {"kind": "link", "other_table_name_hint": table + _SEPARATOR + member.name}
        case _ReverseLink():
            return {
                "kind": "reverse_link",
                "other_table_name_hint": member.table,
                "other_column_name_hint": member.column,
            }
    plain = {"kind": "column", "name": member.name, "type": member.type, "not_null": False}
    return {**ids.of_column(table, member), **plain, **member.options}


def _foreign_key(column: _Column) -> Document:
    return {
        "on_delete": "cascade" if column.options.get("reverse_edit") else "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": column.name}],
        "referenced_table": {"name_hint": column.target, "columns": [{"auto_column_primary_key": True}]},
    }


def _unique_key(columns: Sequence[str], owner: str | None) -> Document:
    """A unique key; that of a nested table applies within one row of the owner."""
    references: list[Document] = [{"column_name_hint": name} for name in columns]
    return {"columns": references if owner is None else [{"auto_column_uplink": True}, *references]}


# The images that an intern deletes one evening.
PURGED_IMAGES = range(401, 441)
# The share of objects that exist at the beginning of the log.
_OLD = 0.72
# Fixed lists and trees, to which the log adds no objects.
_COMPLETE = frozenset(
    {"place", "material", "technique", "keyword", "storage_location", "institution", "tour"}
)


class _Rows(msgspec.Struct, frozen=True):
    """The rows of a table in CURRENT; the first value of each is its id."""

    columns: list[str]
    rows: list[list[Any]]


@cache
def _objects() -> Mapping[str, _Rows]:
    """The rows of all tables, link targets first."""
    return msgspec.json.decode(resource("demo/objects.json").read_bytes(), type=dict[str, _Rows])


def add_objects(connection: Connection, versions: Mapping[str, Mapping[int, int]]) -> None:
    """Fills the tables of CURRENT; `versions` are the versions of objects by objecttype and id."""
    for name, content in _objects().items():
        known = versions.get(name)  # nested tables have no versions
        columns = content.columns if known is None else [*content.columns, "_version"]
        values = [
            dict(
                zip(
                    columns, map(_stored, row if known is None else [*row, known.get(row[0], 1)]), strict=True
                )
            )
            for row in content.rows
        ]
        connection.execute(insert(table(name, *map(column, columns))), values)


def _stored(value: object) -> object:
    """Text columns store structured values as JSON."""
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def initial_stock() -> ObjectStock:
    """The objects at the beginning of the log, with those that will be added and deleted.

    Ids that are missing among the rows are those of objects that the log deletes.
    """
    old: dict[str, Mapping[int, int]] = {}
    coming: dict[str, Sequence[int]] = {}
    doomed: dict[str, Sequence[int]] = {}
    for name, content in _objects().items():
        if _SEPARATOR in name:
            continue
        existing = [row[0] for row in content.rows]
        first = len(existing) if name in _COMPLETE else round(len(existing) * _OLD)
        old[name] = {object_id: 1 + object_id * 7 % 4 for object_id in existing[:first]}
        coming[name] = existing[first:]
        doomed[name] = sorted({*range(1, existing[-1])} - {*existing, *PURGED_IMAGES})
    return ObjectStock(old, coming, doomed)
