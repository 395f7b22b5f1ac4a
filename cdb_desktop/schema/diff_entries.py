"""Differences of a table's entries: columns by their ids, nested tables, reverse links, and their order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.changes import Change, ChangeKind, Risk
from cdb_desktop.schema.column_types import is_keeping, may_change
from cdb_desktop.schema.describing import described, table_name
from cdb_desktop.schema.diff_options import entry_option_changes
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column, Entry, NestedLink, ReverseLink
from cdb_desktop.schema.places import Place, TablePlace


def entry_changes(old: Document, new: Document, before: Table, table: Table) -> Iterator[Change]:
    """What differs between the entries of a table that is in both documents."""
    were = {entry.place(table.key): entry for entry in before.entries}
    now = {entry.place(table.key): entry for entry in table.entries}
    for place, entry in now.items():
        was = were.get(place)
        if was is None:
            yield from _added(old, new, table, entry)
        elif was.raw != entry.raw:
            yield from _entry(new, before, place, was, entry)
    for place, entry in were.items():
        if place not in now:
            yield from _removed(old, new, before, entry)
    common = [place for place in now if place in were]
    yield from _moved(new, common, [place for place in were if place in now])


def _entry(new: Document, before: Table, place: Place, was: Entry, entry: Entry) -> Iterator[Change]:
    name = described(new, place)
    if isinstance(was, Column) and isinstance(entry, Column):
        if was.name != entry.name:
            told = message("Column {old} renamed to {new}", old=f"{before.name}.{was.name}", new=entry.name)
            yield Change(ChangeKind.RENAMED, place, Risk.SAFE, told, before=was.name, after=entry.name)
        if was.type != entry.type:
            told = message(
                "Type of {column} changed from {old} to {new}", column=name, old=was.type, new=entry.type
            )
            risk = _risk_of_type(was.type, entry.type)
            yield Change(ChangeKind.TYPE, place, risk, told, before=was.type, after=entry.type)
    yield from entry_option_changes(place, name, was.raw, entry.raw)


def _risk_of_type(before: str, after: str) -> Risk:
    if is_keeping(before, after):
        return Risk.SAFE
    return Risk.NARROWING if may_change(before, after) else Risk.DESTROYING


def _added(old: Document, new: Document, table: Table, entry: Entry) -> Iterator[Change]:
    place = entry.place(table.key)
    name = described(new, place)
    match entry:
        case Column() if entry.is_link:
            targets = [table_name(new, key.target) for key in table.links.get(entry.key, ())]
            told = message("Link {column} to {target} added", column=name, target=", ".join(targets))
            yield Change(ChangeKind.ADDED, place, _risk_of_new(entry), told, after=entry.name)
        case Column():
            told = message("Column {column} added ({type})", column=name, type=entry.type)
            yield Change(ChangeKind.ADDED, place, _risk_of_new(entry), told, after=entry.name)
        case NestedLink() if entry.table in old.by_key:
            told = message("Entry for {nested} added to {table}", nested=name, table=table.name)
            yield Change(ChangeKind.ADDED, place, Risk.SAFE, told)
        case ReverseLink() if not _follows(old, new, entry):
            told = message("Editing of {column} in {table} added", column=name, table=table.name)
            yield Change(ChangeKind.ADDED, place, Risk.SAFE, told)
        case _:
            return


def _removed(old: Document, new: Document, before: Table, entry: Entry) -> Iterator[Change]:
    place = entry.place(before.key)
    name = described(old, place)
    match entry:
        case Column():
            told = message("Column {column} removed", column=name)
            yield Change(ChangeKind.REMOVED, place, Risk.DESTROYING, told, before=entry.name)
        case NestedLink() if entry.table in new.by_key:
            told = message("Entry for {nested} removed from {table}", nested=name, table=before.name)
            yield Change(ChangeKind.REMOVED, place, Risk.NARROWING, told)
        case ReverseLink() if not _follows(old, new, entry):
            told = message("Editing of {column} in {table} removed", column=name, table=before.name)
            yield Change(ChangeKind.REMOVED, place, Risk.SAFE, told)
        case _:
            return


def _risk_of_new(column: Column) -> Risk:
    """A column that must have a value needs one in the rows that are there."""
    return Risk.NARROWING if column.flag("not_null") and column.raw.get("default") is None else Risk.SAFE


def _follows(old: Document, new: Document, entry: ReverseLink) -> bool:
    """Whether the entry came or went with its column or with that column's option, which is told."""
    flags = []
    for document in (old, new):
        table = None if entry.table is None else document.by_key.get(entry.table)
        column = None if table is None or entry.column is None else table.by_key.get(entry.column)
        flags.append(None if column is None else column.flag("reverse_edit"))
    return flags[0] != flags[1]


def _moved(new: Document, now: Sequence[Place], were: Sequence[Place]) -> Iterator[Change]:
    """The fewest entries that must move to make one order of the other."""
    if now == were:
        return
    ranks = {place: rank for rank, place in enumerate(were)}
    kept = _longest_rise([ranks[place] for place in now])
    for place in now:
        if ranks[place] not in kept and not isinstance(place, TablePlace):
            told = message("{column} moved", column=described(new, place))
            yield Change(
                ChangeKind.MOVED, place, Risk.SAFE, told, before=ranks[place], after=now.index(place)
            )


def _longest_rise(ranks: Sequence[int]) -> frozenset[int]:
    """The members of a longest part that rises."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for rank in ranks:
        at = bisect_left(ends, rank)
        before[rank] = ends[at - 1] if at else None
        ends[at : at + 1] = [rank]
    found: set[int] = set()
    step = ends[-1] if ends else None
    while step is not None:
        found.add(step)
        step = before[step]
    return frozenset(found)
