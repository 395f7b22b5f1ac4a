"""Tables that one side has removed: which of them the other side needs, and what else stays with those."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.model import Document, NestedTableEntry
from cdb_desktop.schema.document.names import column_name, table_name
from cdb_desktop.schema.merge.conflict import Choice, Conflict, Side, removal_conflict
from cdb_desktop.schema.merge.content import is_column_used, is_reverse_changed, nested_options, table_content
from cdb_desktop.schema.merge.matching import Versions

_MOST_NAMES = 5


@dataclass(slots=True)
class KeptElements:
    """What stays although one side has removed it; ``settled`` are columns that stay or go with a table.

    ``changed`` are tables that have to be merged, since something in them stays.
    """

    tables: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)


def kept_elements(versions: Versions, choose: Callable[[Conflict], Choice]) -> KeptElements:
    """The removed tables that stay, after asking ``choose`` about those that the other side needs."""
    kept = KeptElements()
    sides: tuple[tuple[Side, Document, Document], ...] = (
        ("theirs", versions.theirs, versions.mine),
        ("mine", versions.mine, versions.theirs),
    )
    for remover, without, keeper in sides:
        gone = frozenset(
            key for key in versions.base.by_key if key not in without.by_key and key in keeper.by_key
        )
        if gone:
            _RemovedTables(versions.base, remover, without, keeper, gone).decide(kept, choose)
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

    def __init__(
        self, base: Document, remover: Side, without: Document, keeper: Document, gone: frozenset[int]
    ) -> None:
        self._base, self._without, self._keeper = base, without, keeper
        self._remover, self._gone = remover, gone
        self._links = list(self._links_to_gone())

    def decide(self, kept: KeptElements, choose: Callable[[Conflict], Choice]) -> None:
        """Adds what stays."""
        groups = [self._group(key) for key in self._base.by_key if key in self._gone and self._is_top(key)]
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
            self._keep(group, kept)
            for key in self._linked_from(group):
                other = of_table.get(key)
                if other is not None and other.table not in seen | disputed:
                    seen.add(other.table)
                    waiting.append(other)

    def _keep(self, group: _Group, kept: KeptElements) -> None:
        kept.tables |= group.tables
        kept.columns |= {column for _, column in group.columns}
        kept.changed |= {table for table, _ in group.columns}
        owner = self._keeper.by_key[group.table].owner
        if owner is not None:
            kept.changed.add(owner)

    def _is_top(self, key: int) -> bool:
        return self._keeper.by_key[key].owner not in self._gone

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
        base, keeper = self._base, self._keeper
        for key in group.tables:
            was, now = base.by_key.get(key), keeper.by_key[key]
            if was is None or (was != now and table_content(base, was) != table_content(keeper, now)):
                return True
            if any(is_reverse_changed(base, keeper, key, column) for column in now.links):
                return True
        if nested_options(base, group.table) != nested_options(keeper, group.table):
            return True
        return any(self._is_new_link(group, *link) for link in group.links)

    def _is_new_link(self, group: _Group, table: int, column: int) -> bool:
        base, keeper = self._base, self._keeper
        if not self._is_in(base, table, column):
            return True
        was = base.by_key[table]
        if not any(key.target in group.tables for key in was.links.get(column, ())):
            return True
        return (table, column) in group.columns and is_column_used(base, keeper, table, column)

    def _conflict(self, group: _Group) -> Conflict:
        name = table_name(self._keeper, group.table)
        nested = [table_name(self._keeper, key) for key in self._keeper.nested_below(group.table)]
        lost = [link for link in group.links if not self._is_in(self._without, *link)]
        was, now = self._base.by_key[group.table], self._keeper.by_key[group.table]
        changes = message("Changed")
        if table_content(self._base, was) == table_content(self._keeper, now):
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
