"""The tree of a document as values: tables by name, nested ones and columns below; and what a search leaves.

Knows no Qt; children are found when somebody asks for them, since most tables stay closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, Table
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.ui.schema.page import Ghost, Node


@dataclass(frozen=True)
class Tree:
    """What the tree shows of a document; ``wanted`` is the text that is searched for, in small letters.

    ``removed`` are the tables and columns that it has no longer, which stand below what is there; ``kept``
    stay in sight whatever is searched for.
    """

    document: Document
    wanted: str = ""
    removed: tuple[Ghost, ...] = ()
    kept: frozenset[Node] = frozenset()

    @cached_property
    def tops(self) -> tuple[Node, ...]:
        """The tables at the top, by name; without an owner that is there."""
        tables = [table for table in self.document.tables if self._is_top(table)]
        found = (TableRef(table.key) for table in sorted(tables, key=lambda table: _natural(table.name)))
        return (*(place for place in found if self._is_left(place.table)), *self._ghosts_below(None))

    @cached_property
    def ghosts(self) -> Mapping[Node, Ghost]:
        """What is shown of what was removed; undo may have brought it back since."""
        found = (ghost for ghost in self.removed if self._is_ghost_left(ghost))
        return {ghost.place: ghost for ghost in found if not self.document.contains(ghost.place)}

    def children(self, node: Node) -> tuple[Node, ...]:
        """Columns and nested tables of a table in the order of its entries."""
        if isinstance(node, ColumnRef) or node in self.ghosts:
            return ()
        if node.table not in self._children:
            own = self._children_of(self.document.by_key[node.table])
            self._children[node.table] = (*own, *self._ghosts_below(node.table))
        return self._children[node.table]

    def parent(self, node: Node) -> Node | None:
        """The table around, None at the top."""
        ghost = self.ghosts.get(node)
        if ghost is not None:
            return None if ghost.owner is None else TableRef(ghost.owner)
        if isinstance(node, ColumnRef):
            return TableRef(node.table)
        table = self.document.by_key.get(node.table)
        return None if table is None or table.owner is None else TableRef(table.owner)

    def row(self, node: Node) -> int | None:
        """The place among its siblings, None where it is not shown."""
        parent = self.parent(node)
        if parent is not None and parent.table not in self.document.by_key:
            return None
        if parent not in self._rows:
            siblings = self.tops if parent is None else self.children(parent)
            self._rows[parent] = {sibling: row for row, sibling in enumerate(siblings)}
        return self._rows[parent].get(node)

    def name(self, node: Node) -> str:
        """The name as it stands below its owner."""
        if node in self.ghosts:
            return self.ghosts[node].name
        table = self.document.by_key[node.table]
        if isinstance(node, ColumnRef):
            return table.by_key[node.column].name
        owner = None if table.owner is None else self.document.by_key.get(table.owner)
        return table.name if owner is None else own_name(table.name, owner.name)

    def type(self, node: Node) -> str:
        """The type of a column, where a link goes; empty for tables."""
        if isinstance(node, TableRef) or node in self.ghosts:
            return ""
        table = self.document.by_key[node.table]
        column = table.by_key[node.column]
        targets = (self.document.by_key.get(key.target or 0) for key in table.links.get(column.key, ()))
        names = ", ".join(target.name for target in targets if target is not None)
        return f"→ {names}" if names else column.type

    def opened_by_search(self) -> tuple[Node, ...]:
        """The tables that must be open for everything that was found to be seen."""
        if not self.wanted:
            return ()
        found = (table.key for table in self.document.tables if table.key in self._with_found_below)
        return tuple(TableRef(key) for key in found)

    def best_found(self) -> Node | None:
        """What fits the search best: the same name, one that begins so, a part that does, anything else.

        Of those that fit equally well, top-level tables come before nested tables and these before columns,
        then the first from the top.
        """
        found = [node for top in self.tops for node in self._found_below(top)]
        return min(found, key=self._distance, default=None)

    @cached_property
    def _children(self) -> dict[int, tuple[Node, ...]]:
        return {}

    @cached_property
    def _rows(self) -> dict[Node | None, Mapping[Node, int]]:
        return {}

    @cached_property
    def _found_names(self) -> frozenset[int]:
        return frozenset(table.key for table in self.document.tables if self.wanted in table.name.lower())

    @cached_property
    def _with_found_below(self) -> frozenset[int]:
        """The tables with a column or a nested table that was found, to any depth."""
        found: set[int] = set()
        held = self._held
        for table in self.document.tables:
            if table.key in held or any(self._is_found(table, column) for column in table.columns):
                found.add(table.key)
            if table.key in found or table.key in self._found_names or TableRef(table.key) in self.kept:
                owner = table.owner
                while owner is not None and owner not in found:
                    found.add(owner)
                    owner = self.document.by_key[owner].owner
        return frozenset(found)

    @property
    def _held(self) -> frozenset[int]:
        """The tables that hold what was removed, or a column that is kept, which may have been."""
        kept = (place.table for place in self.kept if isinstance(place, ColumnRef))
        return frozenset([*kept, *(ghost.owner for ghost in self.ghosts.values() if ghost.owner is not None)])

    def _is_ghost_left(self, ghost: Ghost) -> bool:
        """A table that was found shows all that it holds and held."""
        fits = self.wanted in ghost.name.lower() or ghost.owner in self._found_names
        return fits or ghost.place in self.kept

    def _is_found(self, table: Table, column: Column) -> bool:
        fits = self.wanted in column.name.lower() or self.wanted == column.type.lower()
        return fits or ColumnRef(table.key, column.key) in self.kept

    def _is_left(self, table: int) -> bool:
        fits = not self.wanted or table in self._found_names or table in self._with_found_below
        return fits or TableRef(table) in self.kept

    def _is_top(self, table: Table) -> bool:
        return table.owner is None or table.owner == table.key or table.owner not in self.document.by_key

    def _children_of(self, table: Table) -> tuple[Node, ...]:
        waiting = list(self.document.nested.get(table.key, ()))
        found: list[Node] = []
        whole = not self.wanted or table.key in self._found_names
        for entry in table.entries:
            if isinstance(entry, NestedTableEntry) and entry.table in waiting:
                waiting.remove(entry.table)
                found.append(TableRef(entry.table))
            elif isinstance(entry, Column) and (whole or self._is_found(table, entry)):
                found.append(ColumnRef(table.key, entry.key))
        found.extend(TableRef(key) for key in waiting if key != table.key)
        return tuple(
            node for node in found if isinstance(node, ColumnRef) or self._is_left(node.table) or whole
        )

    def _ghosts_below(self, owner: int | None) -> Iterator[Node]:
        return (ghost.place for ghost in self.ghosts.values() if ghost.owner == owner)

    def _found_below(self, node: Node) -> Iterator[Node]:
        if isinstance(node, ColumnRef) and node not in self.ghosts:
            table = self.document.by_key[node.table]
            if self._is_found(table, table.by_key[node.column]):
                yield node
            return
        if self.wanted in self._whole_name(node).lower():
            yield node
        for child in self.children(node):
            yield from self._found_below(child)

    def _distance(self, node: Node) -> tuple[int, int]:
        names = {self.name(node).lower(), self._whole_name(node).lower()}
        if self.wanted in names:
            distance = 0
        elif any(name.startswith(self.wanted) for name in names):
            distance = 1
        elif any(f"_{self.wanted}" in name for name in names):
            distance = 2
        else:
            distance = 3 if any(self.wanted in name for name in names) else 4
        rank = 2 if isinstance(node, ColumnRef) else 1 if self.parent(node) is not None else 0
        return distance, rank

    def _whole_name(self, node: Node) -> str:
        """The name of a table with its owner's, of a column its own."""
        is_table = isinstance(node, TableRef) and node not in self.ghosts
        return self.document.by_key[node.table].name if is_table else self.name(node)


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which ``table_9`` stands before ``table_10``."""
    parts = re.findall(r"\d+|\D+", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
