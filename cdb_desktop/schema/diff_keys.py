"""Differences of foreign and unique keys, by their columns; the names made for them do not count."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.changes import Change, ChangeKind, Risk
from cdb_desktop.schema.describing import columns_name, table_name
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import ForeignKey, UniqueKey, shown_value
from cdb_desktop.schema.places import ColumnPlace, Place, TablePlace


def foreign_key_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    """What differs in where links point and what deleting does; links that came or went are told as such."""
    were = {key.column_keys: key for key in before.foreign_keys}
    now = {key.column_keys: key for key in table.foreign_keys}
    for columns in dict.fromkeys((*now, *were)):
        if not all(_stayed(column, before, table) for column in columns):
            continue
        was, key = were.get(columns), now.get(columns)
        name = columns_name(table, columns)
        place: Place = ColumnPlace(table.key, columns[0]) if columns else TablePlace(table.key)
        if was is None or key is None:
            added = message("Foreign key of {column} added", column=name)
            removed = message("Foreign key of {column} removed", column=name)
            yield Change(ChangeKind.KEY, place, Risk.NARROWING, added if was is None else removed)
            continue
        if was.target != key.target:
            yield _target(old, new, place, name, was, key)
        turned = _is_edited_elsewhere(before, columns) != _is_edited_elsewhere(table, columns)
        yield from _rules(place, name, was, key, turned=turned)


def unique_key_changes(before: Table, table: Table) -> Iterator[Change]:
    """Unique keys that were added, removed or changed; those that went with a column are told as that."""
    were = {frozenset(key.column_keys): key for key in before.unique_keys}
    now = {frozenset(key.column_keys): key for key in table.unique_keys}
    for columns, key in now.items():
        name, place = columns_name(table, key.column_keys), key.place(table.key)
        was = were.get(columns)
        if was is None:
            # Rows cannot repeat what none of them has yet.
            risk = Risk.NARROWING if columns <= before.by_key.keys() else Risk.SAFE
            yield Change(ChangeKind.ADDED, place, risk, message("{columns} made unique", columns=name))
        elif _terms(was) != _terms(key):
            told = message("Unique key of {columns} changed", columns=name)
            yield Change(ChangeKind.KEY, place, Risk.NARROWING, told, before=_terms(was), after=_terms(key))
    for columns, key in were.items():
        if columns not in now and columns <= table.by_key.keys():
            told = message("{columns} no longer unique", columns=columns_name(table, key.column_keys))
            yield Change(ChangeKind.REMOVED, key.place(table.key), Risk.SAFE, told)


def _target(
    old: Document, new: Document, place: Place, name: str, was: ForeignKey, key: ForeignKey
) -> Change:
    told = message(
        "{column} links to {new} instead of {old}",
        column=name,
        new=table_name(new, key.target),
        old=table_name(old, was.target),
    )
    return Change(ChangeKind.KEY, place, Risk.DESTROYING, told, "target", was.target, key.target)


def _rules(place: Place, name: str, was: ForeignKey, key: ForeignKey, *, turned: bool) -> Iterator[Change]:
    for option in dict.fromkeys((*key.raw, *was.raw)):
        before, after = was.raw.get(option), key.raw.get(option)
        # Reverse edit brings its own rule, and is told itself.
        if before == after or option == "name" or (option == "on_delete" and turned):
            continue
        told = message(
            "{column}: {option} changed from {old} to {new}",
            column=name,
            option=option,
            old=shown_value(before),
            new=shown_value(after),
        )
        yield Change(ChangeKind.KEY, place, Risk.SAFE, told, option, before, after)


def _stayed(column: int, before: Table, table: Table) -> bool:
    """Whether a column is in both tables and has not become a link or ceased to be one."""
    was, now = before.by_key.get(column), table.by_key.get(column)
    return was is not None and now is not None and was.is_link == now.is_link


def _is_edited_elsewhere(table: Table, columns: tuple[int, ...]) -> bool:
    return any(table.by_key[column].flag("reverse_edit") for column in columns)


def _terms(key: UniqueKey) -> tuple[object, frozenset[int | None]]:
    """What a unique key says beside its columns: its group, and where only true may not repeat."""
    only_true = frozenset(column.key for column in key.columns if column.raw.get("unique_true") is True)
    return key.raw.get("group"), only_true
