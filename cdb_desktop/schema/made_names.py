"""Keeps the names of keys that are made from other names in step with those (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import ForeignKey, UniqueKey
from cdb_desktop.schema.names import foreign_key_name, unique_key_name

_Key = TypeVar("_Key", ForeignKey, UniqueKey)


def with_made_names(before: Document, after: Document, tables: Iterable[int]) -> Document:
    """The document with the made names of keys made again, where they had been made from what was before.

    The keys of each table must stand in the same order in both documents.
    """
    changed = []
    for key in tables:
        old, new = before.by_key[key], after.by_key[key]
        foreign_keys = [
            _renamed(own, _foreign_key_name(before, old, was), _foreign_key_name(after, new, own))
            for was, own in zip(old.foreign_keys, new.foreign_keys, strict=True)
        ]
        unique_keys = [
            _renamed(own, _unique_key_name(old, was), _unique_key_name(new, own))
            for was, own in zip(old.unique_keys, new.unique_keys, strict=True)
        ]
        changed.append(replace(new, foreign_keys=tuple(foreign_keys), unique_keys=tuple(unique_keys)))
    return after.with_tables(*changed)


def _renamed(key: _Key, made: str, name: str) -> _Key:
    return replace(key, raw={**key.raw, "name": name}) if key.name and key.name == made else key


def _foreign_key_name(document: Document, table: Table, key: ForeignKey) -> str:
    target = None if key.target is None else document.by_key.get(key.target)
    return "" if target is None else foreign_key_name(table.name, _column_names(table, key), target.name)


def _unique_key_name(table: Table, key: UniqueKey) -> str:
    return unique_key_name(table.name, _column_names(table, key))


def _column_names(table: Table, key: ForeignKey | UniqueKey) -> list[str]:
    return [table.by_key[column].name for column in key.column_keys]
