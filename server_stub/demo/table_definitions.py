"""Definitions of tables and columns of the demo data model, and schema documents made from them (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

_LAST = 99


class Label(msgspec.Struct, frozen=True):
    """The name that people read."""

    german: str
    english: str


class Life(msgspec.Struct, frozen=True):
    """The versions of the schema in which a piece stands, both ends included."""

    first: int = 1
    last: int = _LAST

    def covers(self, version: int) -> bool:
        """Whether the piece stands in a version."""
        return self.first <= version <= self.last


ALWAYS = Life()


def since(version: int) -> Life:
    """From a version on."""
    return Life(first=version)


def until(version: int) -> Life:
    """Up to a version."""
    return Life(last=version)


@dataclass(frozen=True, slots=True)
class Field:
    """A column; `was` is the name that the same column had before, `target` the objecttype it links to."""

    name: str
    type: str
    label: Label
    life: Life = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    was: str | None = None
    target: str | None = None


class Reverse(msgspec.Struct, frozen=True):
    """The place in a table where the rows of another one that link to it are edited."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Objecttype:
    """A table; a nested one stands among its owner's members and names only its own part of the name."""

    name: str
    label: Label
    members: tuple[Member, ...]
    life: Life = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    unique: tuple[tuple[str, ...], ...] = ()


Member = Field | Reverse | Objecttype


def column(name: str, type_: str, german: str, english: str, life: Life = ALWAYS, **options: object) -> Field:
    """A column that holds values; `options` are attributes of the document."""
    return Field(name, type_, Label(german, english), life, options)


def link(name: str, target: str, german: str, english: str, **options: object) -> Field:
    """A column that links to an objecttype."""
    return Field(name, "link", Label(german, english), ALWAYS, options, target=target)


def nested(
    name: str,
    german: str,
    english: str,
    *members: Member,
    life: Life = ALWAYS,
    unique: tuple[tuple[str, ...], ...] = (),
) -> Objecttype:
    """A table inside its owner; the key `unique` counts within one owner's row."""
    return Objecttype(name, Label(german, english), members, life, unique=unique)


GERMAN, ENGLISH = "de-DE", "en-US"
_SEPARATOR = "__"

Document = dict[str, Any]


def document(objecttypes: Sequence[Objecttype], version: int, before: Document | None) -> Document:
    """The document to post as HEAD; what stands in the one `before` keeps its ids.

    `version` chooses the pieces that stand; the posted `version` is the one under which HEAD was read.
    """
    ids = _Ids(before)
    tables = [_table(piece, name, owner, version, ids) for name, owner, piece in _flat(objecttypes, version)]
    posted: Document = {"version": 1, "tables": tables, "l10n_languages": [GERMAN, ENGLISH]}
    return posted if before is None else {**before, **posted, "version": before["version"]}


def localized_names(objecttypes: Sequence[Objecttype], version: int) -> dict[str, dict[str, str]]:
    """The `keys` of a version: `schema.<table>.name` and `schema.<table>.column.<column>`."""
    names = {}
    for name, owner, piece in _flat(objecttypes, version):
        names[f"schema.{name}.name"] = _texts(piece)
        if owner is not None:
            names[f"schema.{owner}.column.{name}"] = _texts(piece)
        for member in piece.members:
            if isinstance(member, Field) and member.life.covers(version):
                names[f"schema.{name}.column.{member.name}"] = _texts(member)
    return names


def _texts(piece: Field | Objecttype) -> dict[str, str]:
    return {GERMAN: piece.label.german, ENGLISH: piece.label.english}


def table_names(objecttypes: Sequence[Objecttype], version: int) -> list[str]:
    """The names of all tables of a version, nested ones included."""
    return [name for name, _, _ in _flat(objecttypes, version)]


class _Ids:
    """The ids of an earlier document by name."""

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
        """The id as an attribute; nothing for a new table."""
        return {"table_id": self._tables[name]} if name in self._tables else {}

    def of_column(self, table: str, field: Field) -> Document:
        """The id as an attribute, a renamed column's too; nothing for a new one."""
        known = self._columns.get((table, field.name), self._columns.get((table, field.was or "")))
        return {} if known is None else {"column_id": known}


def _flat(
    objecttypes: Sequence[Objecttype], version: int, owner: str | None = None
) -> Iterator[tuple[str, str | None, Objecttype]]:
    for piece in objecttypes:
        if piece.life.covers(version):
            name = piece.name if owner is None else owner + _SEPARATOR + piece.name
            yield name, owner, piece
            inner = [member for member in piece.members if isinstance(member, Objecttype)]
            yield from _flat(inner, version, name)


def _table(piece: Objecttype, name: str, owner: str | None, version: int, ids: _Ids) -> Document:
    members = [
        member for member in piece.members if isinstance(member, Reverse) or member.life.covers(version)
    ]
    made = {
        **ids.of_table(name),
        "name": name,
        **piece.options,
        "columns": [_member(name, member, ids) for member in members],
        "foreign_keys": [
            _foreign_key(member) for member in members if isinstance(member, Field) and member.target
        ],
        "unique_keys": [_unique_key(columns, owner) for columns in piece.unique],
    }
    return made if owner is None else {**made, "owned_by": {"other_table_name_hint": owner}}


def _member(table: str, member: Field | Reverse | Objecttype, ids: _Ids) -> Document:
    if isinstance(member, Objecttype):
        return {"kind": "link", "other_table_name_hint": table + _SEPARATOR + member.name}
    if isinstance(member, Reverse):
        return {
            "kind": "reverse_link",
            "other_table_name_hint": member.table,
            "other_column_name_hint": member.column,
        }
    plain = {"kind": "column", "name": member.name, "type": member.type, "not_null": False}
    return {**ids.of_column(table, member), **plain, **member.options}


def _foreign_key(field: Field) -> Document:
    return {
        "on_delete": "cascade" if field.options.get("reverse_edit") else "restrict",
        "on_update": "cascade",
        "columns": [{"column_name_hint": field.name}],
        "referenced_table": {"name_hint": field.target, "columns": [{"auto_column_primary_key": True}]},
    }


def _unique_key(columns: Sequence[str], owner: str | None) -> Document:
    """A nested table's key counts within one row of its owner."""
    references: list[Document] = [{"column_name_hint": name} for name in columns]
    return {"columns": references if owner is None else [{"auto_column_uplink": True}, *references]}
