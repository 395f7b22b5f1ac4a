"""The differences between a target and an aligned source, each of which can be chosen on its own.

An element of a new table is a difference, too, so that a table can be taken over without some of its columns.
Some differences need others: a column needs its new table, a link its new target, and the removal of a table
that of all links to it. Choosing one therefore chooses what it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diff.compare import Change, ChangeKind, ItemId, Risk, compare, table_added
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
    table_key_of,
)
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import own_table_name, table_name

_NO_IDS: frozenset[ItemId] = frozenset()


# Kinds of differences with which less than a loss is a risk.
_LEAST_RISK = {ChangeKind.TYPE: Risk.NARROWING}


@dataclass(frozen=True)
class Differences:
    """All differences of a target and an aligned source.

    ``shells`` is the target with an empty table for each new one.
    """

    target: Document
    source: Document
    shells: Document
    items: tuple[Change, ...]

    @cached_property
    def needs(self) -> Mapping[ItemId, frozenset[ItemId]]:
        """What each difference needs, without what that needs in turn."""
        return _Needs(self).found()

    @cached_property
    def _needed_by(self) -> Mapping[ItemId, frozenset[ItemId]]:
        found: dict[ItemId, set[ItemId]] = {}
        for id_, needed in self.needs.items():
            for each in needed:
                found.setdefault(each, set()).add(id_)
        return {id_: frozenset(ids) for id_, ids in found.items()}

    @cached_property
    def all_ids(self) -> frozenset[ItemId]:
        """The ids of all differences."""
        return frozenset(item.id for item in self.items)

    @cached_property
    def risks(self) -> frozenset[ItemId]:
        """Differences that lose or shorten values, and those that cannot be chosen without them."""
        risky = {item.id for item in self.items if item.risk >= _LEAST_RISK.get(item.kind, Risk.DESTROYING)}
        return self.without(self.all_ids, risky) ^ self.all_ids

    def with_ids(self, chosen: Collection[ItemId], added: Iterable[ItemId]) -> frozenset[ItemId]:
        """The choice with more differences, and with all that they need."""
        return frozenset(chosen) | _closed(added, self.needs)

    def without(self, chosen: Collection[ItemId], removed: Iterable[ItemId]) -> frozenset[ItemId]:
        """The choice without some differences, and without all that need them."""
        return frozenset(chosen) - _closed(removed, self._needed_by)


def find_differences(target: Document, source: Document) -> Differences:
    """The differences of a target and a source with the keys of the target."""
    new = [table for table in source.tables if table.key not in target.by_key]
    empty = (replace(table, entries=(), foreign_keys=(), unique_keys=()) for table in new)
    shells = replace(target, tables=(*target.tables, *empty))
    new_keys = {table.key for table in new}
    added = {table.key: table_added(table) for table in new}
    items: list[Change] = []
    moved: set[int] = set()
    for change in compare(shells, source):
        key = table_key_of(change.ref)
        if key in added:
            items.append(added.pop(key))
        if isinstance(change.ref, NestedTableRef) and change.ref.nested in new_keys:
            continue  # It comes with the table.
        if isinstance(change.ref, TableRef) and key in new_keys:
            continue  # The empty table only follows the name of its owner.
        if change.kind is ChangeKind.MOVED and key is not None:
            if key in moved:
                continue
            moved.add(key)
            text = message("Columns of {table} in another order", table=table_name(source, key))
            change = Change(ChangeKind.MOVED, TableRef(key), Risk.SAFE, text)  # noqa: PLW2901
        if key in new_keys:
            change = replace(change, risk=Risk.SAFE)  # noqa: PLW2901  # A new table has no values.
        items.append(change)
    items += added.values()
    unique = {item.id: item for item in reversed(items)}
    order = dict.fromkeys(item.id for item in items)
    return Differences(target, source, shells, tuple(unique[id_] for id_ in order))


def _closed(ids: Iterable[ItemId], edges: Mapping[ItemId, frozenset[ItemId]]) -> frozenset[ItemId]:
    """The ids with all that can be reached from them."""
    found: set[ItemId] = set()
    waiting = list(ids)
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting.extend(edges.get(id_, _NO_IDS))
    return frozenset(found)


class _Needs:
    """Finds what each difference needs."""

    def __init__(self, differences: Differences) -> None:
        self._target, self._source = differences.target, differences.source
        self._items = differences.items
        self._ids = {item.id for item in differences.items}
        self._by_ref: dict[ElementRef, list[ItemId]] = {}
        for item in differences.items:
            self._by_ref.setdefault(item.ref, []).append(item.id)
        self._reverse_entries: dict[int, list[ItemId]] = {}
        for id_ in self._ids:
            if isinstance(id_[1], ReverseLinkRef):
                self._reverse_entries.setdefault(id_[1].other_column, []).append(id_)
        self._found: dict[ItemId, set[ItemId]] = {}

    def found(self) -> dict[ItemId, frozenset[ItemId]]:
        names = _Names(self._target)
        for item in self._items:
            self._add(item.id, self._of(item))
            self._add(item.id, self._of_name(item, names))
        return {id_: frozenset((needed & self._ids) - {id_}) for id_, needed in self._found.items()}

    def _add(self, id_: ItemId, needed: Iterable[ItemId]) -> None:
        self._found.setdefault(id_, set()).update(needed)

    def _of(self, change: Change) -> Iterator[ItemId]:
        ref = change.ref
        match change.kind, ref:
            case ChangeKind.ADDED, TableRef(key):
                yield from self._of_owner(key)
            case ChangeKind.OPTION, TableRef(key) if change.option == "owned_by":
                yield from self._of_owner(key)
                yield from self._entries_of(change, key)
            case ChangeKind.REMOVED, TableRef(key):
                yield from self._of_removed_table(key)
            case ((ChangeKind.ADDED | ChangeKind.TYPE | ChangeKind.KEY), ColumnRef()):
                yield from self._of_link(change, ref)
            case ChangeKind.OPTION, ColumnRef() if change.option == "reverse_edit":
                yield from self._of_link(change, ref)
            case ((ChangeKind.ADDED | ChangeKind.REMOVED), ReverseLinkRef()):
                yield from self._of_reverse(change, ref)
            case ChangeKind.ADDED, UniqueKeyRef(table, columns):
                yield from ((ChangeKind.ADDED, ColumnRef(table, column), "") for column in columns)
                yield _table_added(table)
            case ChangeKind.ADDED, NestedTableRef(table, nested):
                yield _table_added(table)
                yield ChangeKind.OPTION, TableRef(nested), "owned_by"
            case ChangeKind.REMOVED, NestedTableRef(_, nested):
                yield ChangeKind.OPTION, TableRef(nested), "owned_by"

    def _of_owner(self, key: int) -> Iterator[ItemId]:
        owner = self._source.by_key[key].owner
        if owner is not None:
            yield _table_added(owner)
            # An owner that was nested in this table has to leave it first.
            yield ChangeKind.OPTION, TableRef(owner), "owned_by"

    def _entries_of(self, change: Change, key: int) -> Iterator[ItemId]:
        """The entries in both owners follow the table that moves."""
        for kind, owner in ((ChangeKind.REMOVED, change.before), (ChangeKind.ADDED, change.after)):
            if isinstance(owner, int):
                yield kind, NestedTableRef(owner, key), ""

    def _of_removed_table(self, key: int) -> Iterator[ItemId]:
        for nested in self._target.nested.get(key, ()):
            yield ChangeKind.REMOVED, TableRef(nested), ""
            yield ChangeKind.OPTION, TableRef(nested), "owned_by"
        for table in self._target.referring_to(frozenset((key,))):
            yield from self._of_reference(table, key)

    def _of_reference(self, table: Table, key: int) -> Iterator[ItemId]:
        """What ends the references of a table to another one that is removed."""
        linking = {column for each in table.foreign_keys if each.target == key for column in each.column_keys}
        if linking and table.key not in self._source.by_key:
            yield ChangeKind.REMOVED, TableRef(table.key), ""
        for column in linking:
            for id_ in self._by_ref.get(ColumnRef(table.key, column), ()):
                if id_[0] in (ChangeKind.REMOVED, ChangeKind.TYPE) or id_[::2] in _RETARGETS:
                    yield id_

    def _of_link(self, change: Change, ref: ColumnRef) -> Iterator[ItemId]:
        if change.kind is ChangeKind.ADDED:
            yield _table_added(ref.table)
        table = self._source.by_key.get(ref.table)
        for key in () if table is None else table.links.get(ref.column, ()):
            if key.target is not None and change.option in ("", "target", "reverse_edit"):
                yield _table_added(key.target)
        if change.option == "reverse_edit" or change.kind is ChangeKind.TYPE:
            # The rules of a link belong to its type and to where its rows are edited.
            yield from (id_ for id_ in self._by_ref.get(ref, ()) if _is_link(id_))
        elif change.kind is ChangeKind.KEY and change.option in ("", "target"):
            yield from (id_ for id_ in self._by_ref.get(ref, ()) if id_[2] == "reverse_edit")
        yield from self._reverse_entries.get(ref.column, ())

    def _of_reverse(self, change: Change, ref: ReverseLinkRef) -> Iterator[ItemId]:
        """An entry follows the link that is edited through it."""
        if change.kind is ChangeKind.ADDED:
            yield _table_added(ref.table)
        column = ColumnRef(ref.other_table, ref.other_column)
        yield from (
            id_ for id_ in self._by_ref.get(column, ()) if _is_link(id_) or id_[0] is ChangeKind.ADDED
        )

    def _of_name(self, change: Change, names: _Names) -> Iterator[ItemId]:
        """Where another element has the name that is introduced, it has to give it up first."""
        ref = change.ref
        if change.kind not in (ChangeKind.ADDED, ChangeKind.RENAMED) and change.option != "owned_by":
            return
        holder: ElementRef | None = None
        if isinstance(ref, TableRef):
            table = self._source.by_key[ref.table]
            holder = names.tables.get((table.owner, own_table_name(self._source, table)))
        elif isinstance(ref, ColumnRef):
            column = self._source.by_key[ref.table].by_key[ref.column]
            holder = names.columns.get((ref.table, column.name))
        if holder is None or holder == ref:
            return
        for id_ in self._by_ref.get(holder, ()):
            if id_[0] in (ChangeKind.REMOVED, ChangeKind.RENAMED) or id_[2] == "owned_by":
                yield id_


_RETARGETS = ((ChangeKind.KEY, "target"), (ChangeKind.KEY, ""))


class _Names:
    """The holders of names in a document."""

    def __init__(self, document: Document) -> None:
        self.tables = {
            (table.owner, own_table_name(document, table)): TableRef(table.key) for table in document.tables
        }
        self.columns = {
            (table.key, column.name): ColumnRef(table.key, column.key)
            for table in document.tables
            for column in table.columns
        }


def _table_added(key: int) -> ItemId:
    return ChangeKind.ADDED, TableRef(key), ""


def _is_link(id_: ItemId) -> bool:
    """Whether a difference concerns where a link leads and where its rows are edited."""
    kind, _, option = id_
    return kind is ChangeKind.TYPE or option == "reverse_edit" or (kind, option) in _RETARGETS
