"""Finds the same elements in three versions of a document, and what differs between them.

Elements are the same if they have the same id. Without ids, and for elements that both sides have added,
names decide. An id that both sides gave to different new elements becomes another one in mine, with all
references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from cdb_desktop.schema.diff.apply import entries_by_ref
from cdb_desktop.schema.diff.compare import Change, ChangeKind, compare
from cdb_desktop.schema.diff.differences import Differences, find_differences
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    NestedTableRef,
    ReverseLinkRef,
    UniqueKeyRef,
    table_key_of,
)
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_values import int_attribute
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import own_table_name
from cdb_desktop.schema.merge.conflict import Side

_MAX_TABLE, _MAX_COLUMN = "max_table_id", "max_column_id"


@dataclass(frozen=True)
class Versions:
    """Three versions with common keys; ``tables`` and ``columns`` are the new ids in mine by the former."""

    base: Document
    theirs: Document
    mine: Document
    tables: dict[int, int]
    columns: dict[int, int]

    @cached_property
    def their_changes(self) -> SideChanges:
        """What they have changed since base."""
        return SideChanges(self.base, self.theirs)

    @cached_property
    def my_changes(self) -> SideChanges:
        """What I have changed since base."""
        return SideChanges(self.base, self.mine)

    @cached_property
    def differences(self) -> Differences:
        """What is in mine other than in theirs."""
        return find_differences(self.theirs, self.mine)

    def document(self, side: Side) -> Document:
        """The version of a side."""
        return self.mine if side == "mine" else self.theirs

    def changes(self, side: Side) -> SideChanges:
        """What a side has changed since base."""
        return self.my_changes if side == "mine" else self.their_changes


class SideChanges:
    """The changes of one side by what they concern.

    ``tables`` are those with a change, ``columns`` the changes by the column. The entry for a nested table
    and the one through which a link is edited belong to that table and that column as well.
    """

    def __init__(self, base: Document, side: Document) -> None:
        self.all = compare(base, side)
        self.tables = {table_key_of(change.ref) for change in self.all}
        for key in base.by_key.keys() & side.by_key.keys():
            was, now = (list(entries_by_ref(each.by_key[key])) for each in (base, side))
            if was != now:  # Some come and go with other elements.
                self.tables.add(key)
        self.columns: dict[ColumnRef, list[Change]] = {}
        self.entries: set[int] = set()  # tables with such a change of an entry
        for change in self.all:
            match change.kind, change.ref:
                case kind, ColumnRef() as ref if kind is not ChangeKind.MOVED:
                    self.columns.setdefault(ref, []).append(change)
                case ChangeKind.OPTION, ReverseLinkRef(_, table, column):
                    self.entries.add(table)
                    self.columns.setdefault(ColumnRef(table, column), []).append(change)
                case ChangeKind.OPTION, NestedTableRef(_, nested):
                    self.entries.add(nested)
                case ((ChangeKind.ADDED | ChangeKind.KEY), UniqueKeyRef(table, columns)):
                    for column in columns:
                        self.columns.setdefault(ColumnRef(table, column), []).append(change)


def matched(base: Document, theirs: Document, mine: Document) -> Versions:
    """The versions with common keys for the same elements."""
    theirs = _with_base_keys(base, theirs)
    mine = _with_base_keys(base, mine)
    identities, tables, columns = _Matcher(base, theirs, mine).identities()
    if identities:
        (mine,) = with_identities((mine,), identities)
        mine = replace(mine, raw=_with_maxima(mine, tables.values(), columns.values()))
    return Versions(base, theirs, mine, tables, columns)


def _with_base_keys(base: Document, side: Document) -> Document:
    """The side with the keys of base for elements that have no id there, found by their names."""
    if _has_ids(base):
        return side
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    by_name = {table.name: table for table in base.tables}
    for table in side.tables:
        was = base.by_key.get(table.key)
        if was is None:
            was = by_name.get(table.name)
            if was is None or was.id is not None or was.key in side.by_key:
                continue
            tables[table.key] = Identity(was.key, table.id)
            del by_name[table.name]
        free = {column.name: column for column in was.columns if column.id is None}
        for column in table.columns:
            same = None if column.key in was.by_key else free.pop(column.name, None)
            if same is not None and same.key not in table.by_key:
                columns[column.key] = Identity(same.key, column.id)
    identities = Identities(tables, columns)
    return with_identities((side,), identities)[0] if identities else side


def _has_ids(document: Document) -> bool:
    return all(table.key > 0 and all(key > 0 for key in table.by_key) for table in document.tables)


class _Matcher:
    """The identities that elements of mine get that are not in base."""

    def __init__(self, base: Document, theirs: Document, mine: Document) -> None:
        self._base, self._theirs, self._mine = base, theirs, mine
        self._base_columns = base.column_keys
        self._their_columns = theirs.column_keys - self._base_columns
        self._tables: dict[int, Identity] = {}
        self._columns: dict[int, Identity] = {}
        documents = (base, theirs, mine)
        self._next_table = _next_id(documents, _MAX_TABLE, (key for each in documents for key in each.by_key))
        column_keys = (key for each in documents for key in each.column_keys)
        self._next_column = _next_id(documents, _MAX_COLUMN, column_keys)
        self._new_tables: dict[int, int] = {}
        self._new_columns: dict[int, int] = {}

    def identities(self) -> tuple[Identities, dict[int, int], dict[int, int]]:
        """The identities, and the new ids of tables and of columns by the former ones."""
        new = [table for table in self._theirs.tables if table.key not in self._base.by_key]
        their_names = {(table.owner, own_table_name(self._theirs, table)): table for table in new}
        for table in _owners_first(self._mine):
            same = self._theirs.by_key.get(table.key)
            if table.key not in self._base.by_key:
                name = self._key_now(table.owner), own_table_name(self._mine, table)
                if same is None or (same.owner, own_table_name(self._theirs, same)) != name:
                    same = their_names.get(name)
                    # A table with this name and the id of theirs is theirs.
                    other = None if same is None else self._mine.by_key.get(same.key)
                    if other is not None and own_table_name(self._mine, other) == name[1]:
                        same = None
                their_names.pop(name, None)
                self._identify_table(table, same)
            self._identify_columns(table, same)
        return Identities(self._tables, self._columns), self._new_tables, self._new_columns

    def _key_now(self, key: int | None) -> int | None:
        found = None if key is None else self._tables.get(key)
        return key if found is None else found.key

    def _identify_table(self, table: Table, same: Table | None) -> None:
        if same is not None:
            if same.key != table.key:
                self._tables[table.key] = Identity(same.key, same.id or table.id)
        elif table.key in self._theirs.by_key:
            self._tables[table.key] = Identity(self._next_table, self._next_table)
            self._new_tables[table.key] = self._next_table
            self._next_table += 1

    def _identify_columns(self, table: Table, same: Table | None) -> None:
        added = [column for column in table.columns if column.key not in self._base_columns]
        if not added:
            return
        new = [] if same is None else [one for one in same.columns if one.key in self._their_columns]
        names = {column.name: column for column in new}
        by_key = {column.key: column for column in new}
        for column in added:
            known = by_key.get(column.key)
            if known is not None and known.name == column.name:
                names.pop(column.name, None)
            else:
                self._identify_column(column, names.pop(column.name, None))

    def _identify_column(self, column: Column, same: Column | None) -> None:
        if same is not None:
            if same.key != column.key:
                self._columns[column.key] = Identity(same.key, same.id or column.id)
        elif column.key in self._their_columns:
            self._columns[column.key] = Identity(self._next_column, self._next_column)
            self._new_columns[column.key] = self._next_column
            self._next_column += 1


def _owners_first(document: Document) -> Iterator[Table]:
    """All tables, each after its owner; those that own themselves come last."""
    done: set[int] = set()
    for table in document.tables:
        chain: list[Table] = []
        above: Table | None = table
        while above is not None and above.key not in done and above not in chain:
            chain.append(above)
            above = None if above.owner is None else document.by_key.get(above.owner)
        for each in reversed(chain):
            done.add(each.key)
            yield each


def _next_id(documents: Iterable[Document], maximum: str, keys: Iterable[int]) -> int:
    most = (int_attribute(document.raw, maximum) or 0 for document in documents)
    return max(0, *most, *keys) + 1


def _with_maxima(document: Document, tables: Iterable[int], columns: Iterable[int]) -> dict[str, object]:
    raw = dict(document.raw)
    for name, new in ((_MAX_TABLE, tables), (_MAX_COLUMN, columns)):
        known = int_attribute(raw, name)
        if known is not None:
            raw[name] = max(known, *new, known)
    return raw
