"""The nodes of the tree: tables by name, with nested tables and columns below; filtered by a search.

Children are computed on demand, since most tables stay collapsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, Table
from cdb_desktop.schema.document.names import natural_key, own_name
from cdb_desktop.ui.schema.page.findings import RemovedElement
from cdb_desktop.ui.schema.page.state import Node


@dataclass(frozen=True)
class SchemaTree:
    """The tree of a document; ``wanted`` is the search text in lower case.

    ``removed`` are the removed tables and columns, which are listed below the others; ``kept``
    are visible during any search, ``found`` those that it has found by their comments or localized names.
    """

    document: Document
    wanted: str = ""
    removed: tuple[RemovedElement, ...] = ()
    kept: frozenset[Node] = frozenset()
    found: frozenset[Node] = frozenset()

    @cached_property
    def tops(self) -> tuple[Node, ...]:
        """The top-level nodes, sorted by name."""
        tables = [table for table in self.document.tables if self._is_top(table)]
        found = (TableRef(table.key) for table in sorted(tables, key=lambda table: natural_key(table.name)))
        return (*(ref for ref in found if self._is_visible(ref.table)), *self._removed_below(None))

    @cached_property
    def shown_removed(self) -> Mapping[Node, RemovedElement]:
        """The removed elements that are in the tree. Undo may have restored some of ``removed``."""
        found = (removed for removed in self.removed if self._is_removed_shown(removed))
        return {removed.ref: removed for removed in found if not self.document.contains(removed.ref)}

    def children(self, node: Node) -> tuple[Node, ...]:
        """The columns and nested tables of a table in the order of its entries."""
        if isinstance(node, ColumnRef) or node in self.shown_removed:
            return ()
        if node.table not in self._children:
            own = self._children_of(self.document.by_key[node.table])
            self._children[node.table] = (*own, *self._removed_below(node.table))
        return self._children[node.table]

    def has_children(self, node: Node) -> bool:
        """Whether `children` has any, without making the list where that is not needed."""
        if isinstance(node, ColumnRef) or node in self.shown_removed:
            return False
        has_columns = not self.wanted and bool(self.document.by_key[node.table].columns)
        return has_columns or bool(self.children(node))

    def parent(self, node: Node) -> Node | None:
        """The table that contains a node, None for top-level nodes."""
        removed = self.shown_removed.get(node)
        if removed is not None:
            return None if removed.owner is None else TableRef(removed.owner)
        if isinstance(node, ColumnRef):
            return TableRef(node.table)
        table = self.document.by_key.get(node.table)
        return None if table is None or self._is_top(table) else TableRef(table.owner or 0)

    def row(self, node: Node) -> int | None:
        """The row of a node among its siblings, None if it is not in the tree."""
        parent = self.parent(node)
        if parent is not None and parent.table not in self.document.by_key:
            return None
        if parent not in self._rows:
            siblings = self.tops if parent is None else self.children(parent)
            self._rows[parent] = {sibling: row for row, sibling in enumerate(siblings)}
        return self._rows[parent].get(node)

    def name(self, node: Node) -> str:
        """The name without that of the owner."""
        if node in self.shown_removed:
            return self.shown_removed[node].name
        table = self.document.by_key[node.table]
        if isinstance(node, ColumnRef):
            return table.by_key[node.column].name
        owner = None if table.owner is None else self.document.by_key.get(table.owner)
        return table.name if owner is None else own_name(table.name, owner.name)

    def type(self, node: Node) -> str:
        """The type of a column or the target of a link, empty for tables."""
        if isinstance(node, TableRef) or node in self.shown_removed:
            return ""
        table = self.document.by_key[node.table]
        column = table.by_key[node.column]
        targets = (self.document.by_key.get(key.target or 0) for key in table.links.get(column.key, ()))
        names = ", ".join(target.name for target in targets if target is not None)
        return f"→ {names}" if names else column.type

    def opened_by_search(self) -> tuple[Node, ...]:
        """The tables to expand so that all matches are visible."""
        if not self.wanted:
            return ()
        found = (table.key for table in self.document.tables if table.key in self._with_matches)
        return tuple(TableRef(key) for key in found)

    @cached_property
    def _children(self) -> dict[int, tuple[Node, ...]]:
        return {}

    @cached_property
    def _rows(self) -> dict[Node | None, Mapping[Node, int]]:
        return {}

    @cached_property
    def _matching_tables(self) -> frozenset[int]:
        return frozenset(
            table.key
            for table in self.document.tables
            if self.wanted in table.name.lower() or TableRef(table.key) in self.found
        )

    @cached_property
    def _with_matches(self) -> frozenset[int]:
        """The tables that contain a match at any depth."""
        found: set[int] = set()
        held = self._with_kept
        for table in self.document.tables:
            if table.key in held or any(self._is_match(table, column) for column in table.columns):
                found.add(table.key)
            if table.key in found or table.key in self._matching_tables or TableRef(table.key) in self.kept:
                owner = table.owner
                while owner is not None and owner not in found:
                    found.add(owner)
                    owner = self.document.by_key[owner].owner
        return frozenset(found)

    @property
    def _with_kept(self) -> frozenset[int]:
        """The tables that contain a removed element or a kept column."""
        kept = (ref.table for ref in self.kept if isinstance(ref, ColumnRef))
        return frozenset(
            [*kept, *(removed.owner for removed in self.shown_removed.values() if removed.owner is not None)]
        )

    def _is_removed_shown(self, removed: RemovedElement) -> bool:
        """Whether the search matches a removed element or its table."""
        fits = self.wanted in removed.name.lower() or removed.owner in self._matching_tables
        return fits or removed.ref in self.kept

    def _is_match(self, table: Table, column: Column) -> bool:
        fits = self.wanted in column.name.lower() or self.wanted == column.type.lower()
        if fits or not (self.kept or self.found):
            return fits
        ref = ColumnRef(table.key, column.key)
        return ref in self.kept or ref in self.found

    def _is_visible(self, table: int) -> bool:
        fits = not self.wanted or table in self._matching_tables or table in self._with_matches
        return fits or TableRef(table) in self.kept

    def _is_top(self, table: Table) -> bool:
        has_owner = table.owner is not None and table.owner in self.document.by_key
        return not has_owner or table.key in self._cycle_starts

    @cached_property
    def _cycle_starts(self) -> frozenset[int]:
        """A table of each cycle of owners, which files may have; it is shown at the top."""
        tables = self.document.by_key
        done: set[int] = set()
        starts: set[int] = set()
        for table in self.document.tables:
            above: list[int] = []
            key: int | None = table.key
            while key is not None and key in tables and key not in done:
                done.add(key)
                above.append(key)
                key = tables[key].owner
            if key in above:
                starts.add(key)
        return frozenset(starts)

    def _children_of(self, table: Table) -> tuple[Node, ...]:
        waiting = list(self.document.nested.get(table.key, ()))
        found: list[Node] = []
        whole = not self.wanted or table.key in self._matching_tables
        for entry in table.entries:
            if isinstance(entry, NestedTableEntry) and entry.table in waiting:
                waiting.remove(entry.table)
                found.append(TableRef(entry.table))
            elif isinstance(entry, Column) and (whole or self._is_match(table, entry)):
                found.append(ColumnRef(table.key, entry.key))
        found.extend(TableRef(key) for key in waiting)
        if self._cycle_starts:
            cut = self._cycle_starts
            found = [one for one in found if isinstance(one, ColumnRef) or one.table not in cut]
        return tuple(
            node for node in found if isinstance(node, ColumnRef) or self._is_visible(node.table) or whole
        )

    def _removed_below(self, owner: int | None) -> Iterator[Node]:
        return (removed.ref for removed in self.shown_removed.values() if removed.owner == owner)
