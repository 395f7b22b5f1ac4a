"""Decides which tables that one side has removed stay, since the other side needs them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document, NestedTableEntry
from cdb_desktop.schema.document.names import column_name, table_name
from cdb_desktop.schema.merge.conflict import Choice, Conflict, Side, removal_conflict
from cdb_desktop.schema.merge.matching import Versions

_MOST_NAMES = 5


@dataclass(slots=True)
class KeptElements:
    """What stays although one side has removed it; ``settled`` are columns that stay or go with a table."""

    tables: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)


def kept_elements(versions: Versions, choose: Callable[[Conflict], Choice]) -> KeptElements:
    """The removed tables that stay, after asking ``choose`` about those that the other side needs."""
    kept = KeptElements()
    sides: tuple[tuple[Side, Side], ...] = (("theirs", "mine"), ("mine", "theirs"))
    for remover, keeper in sides:
        without = versions.document(remover).by_key
        gone = frozenset(versions.base.by_key.keys() & versions.document(keeper).by_key.keys() - without)
        if gone:
            _RemovedTables(versions, remover, keeper, gone).decide(kept, choose)
    return kept


@dataclass(frozen=True, slots=True)
class _Group:
    """A removed table with those nested in it, and the columns that were removed since they link there."""

    table: int
    tables: frozenset[int]
    columns: frozenset[tuple[int, int]]
    links: tuple[tuple[int, int], ...]  # of the other side, from outside


class _RemovedTables:
    """The tables that one side has removed and the other has not."""

    def __init__(self, versions: Versions, remover: Side, keeper: Side, gone: frozenset[int]) -> None:
        self._base, self._without = versions.base, versions.document(remover)
        self._keeper, self._changes = versions.document(keeper), versions.changes(keeper)
        self._remover, self._gone = remover, gone
        self._links = list(self._links_to_gone())

    def decide(self, kept: KeptElements, choose: Callable[[Conflict], Choice]) -> None:
        """Adds what stays."""
        tops = (
            key
            for key in self._base.by_key
            if key in self._gone and self._keeper.by_key[key].owner not in self._gone
        )
        groups = [self._group(key) for key in tops]
        disputed = {group.table for group in groups if self._is_needed(group)}
        of_table = {key: group for group in groups for key in group.tables}
        waiting: list[_Group] = []
        for group in groups:
            kept.settled |= {column for _, column in group.columns}
            if group.table in disputed and choose(self._conflict(group)) != self._remover:
                waiting.append(group)
        # What stays needs the tables that it links to, unless it was decided that they go.
        seen = {group.table for group in waiting}
        while waiting:
            group = waiting.pop()
            kept.tables |= group.tables
            kept.columns |= {column for _, column in group.columns}
            for key in self._linked_from(group):
                other = of_table.get(key)
                if other is not None and other.table not in seen | disputed:
                    seen.add(other.table)
                    waiting.append(other)

    def _group(self, key: int) -> _Group:
        tables = frozenset({key, *self._keeper.nested_below(key)})
        links = tuple(
            (table, column)
            for table, column, target in self._links
            if target in tables and table not in tables
        )
        columns = frozenset(
            (table, column)
            for table, column in links
            if self._is_in(self._base, table, column)
            and table in self._without.by_key
            and not self._is_in(self._without, table, column)
        )
        return _Group(key, tables, columns, links)

    def _is_needed(self, group: _Group) -> bool:
        """Whether the other side has changed the tables, or refers to them in a new or changed column."""
        if not group.tables.isdisjoint(self._changes.tables | self._changes.entries):
            return True
        return any(self._is_new_link(group, *link) for link in group.links)

    def _is_new_link(self, group: _Group, table: int, column: int) -> bool:
        if not self._is_in(self._base, table, column):
            return True
        was = self._base.by_key[table]
        if not any(key.target in group.tables for key in was.links.get(column, ())):
            return True
        return (table, column) in group.columns and ColumnRef(table, column) in self._changes.columns

    def _conflict(self, group: _Group) -> Conflict:
        name = table_name(self._keeper, group.table)
        nested = [table_name(self._keeper, key) for key in self._keeper.nested_below(group.table)]
        lost = [link for link in group.links if not self._is_in(self._without, *link)]
        changes = message("Changed")
        if group.table not in self._changes.tables:
            used = [link for link in group.links if self._is_new_link(group, *link)]
            if used:
                changes = message("Used by {names}", names=self._names(used))
        others = ", ".join(filter(None, (*nested, self._names(lost))))
        return removal_conflict(TableRef(group.table), name, self._remover, changes, others)

    def _names(self, links: Sequence[tuple[int, int]]) -> str:
        names = [column_name(self._keeper, table, column) for table, column in links[:_MOST_NAMES]]
        return ", ".join(names if len(links) <= _MOST_NAMES else [*names, "…"])

    def _linked_from(self, group: _Group) -> Iterator[int]:
        for key in group.tables:
            table = self._keeper.by_key[key]
            yield from (one.target for one in table.foreign_keys if one.target is not None)
            yield from (
                entry.table
                for entry in table.entries
                if isinstance(entry, NestedTableEntry) and entry.table is not None
            )

    def _links_to_gone(self) -> Iterator[tuple[int, int, int]]:
        """Table, column and target of all links of the other side to the removed tables."""
        for table in self._keeper.referring_to(self._gone):
            for column, keys in table.links.items():
                yield from ((table.key, column, key.target) for key in keys if key.target in self._gone)

    @staticmethod
    def _is_in(document: Document, table: int, column: int) -> bool:
        found = document.by_key.get(table)
        return found is not None and column in found.by_key
