"""Which tables of a schema a diagram shows: all, those near others or on paths, of a group, or chosen ones.

All keys are those of top-level tables; nested tables are shown with their owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.schema.diagram.model import Box, SchemaGraph
from cdb_desktop.schema.diagram.paths import Direction, Paths, distances, shortest_paths

MOST_STEPS = 9


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """The tables within a number of links of some tables, and these."""

    tables: frozenset[int]
    steps: int = 1
    direction: Direction = Direction.BOTH


@dataclass(frozen=True, slots=True)
class PathsBetween:
    """The tables on the shortest paths between two tables, and these."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ViewTables:
    """The tables of a named view; None for all."""

    view: int
    tables: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class GroupTables:
    """The tables of a group."""

    group: int
    tables: frozenset[int]


# What a diagram is limited to; None for everything.
Part = Neighborhood | PathsBetween | ViewTables | GroupTables | None


@dataclass(frozen=True, slots=True)
class Scope:
    """What is shown: ``part`` and the ``added`` tables, but none of the ``hidden`` ones."""

    part: Part = None
    added: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()

    def hiding(self, tables: Iterable[int]) -> Scope:
        """The scope without these tables."""
        found = frozenset(tables)
        return replace(self, added=self.added - found, hidden=self.hidden | found)

    def showing(self, tables: Iterable[int]) -> Scope:
        """The scope with these tables."""
        found = frozenset(tables)
        added = self.added if self.part is None else self.added | found
        return replace(self, added=added, hidden=self.hidden - found)

    def showing_all(self) -> Scope:
        """The scope without hidden tables."""
        return replace(self, hidden=frozenset())

    def renumbered(self, tables: Mapping[int, int]) -> Scope:
        """With the ids of tables that saving assigned, by the keys before."""

        def moved(keys: frozenset[int]) -> frozenset[int]:
            return frozenset(tables.get(key, key) for key in keys)

        return Scope(part_renumbered(self.part, tables), moved(self.added), moved(self.hidden))


def part_renumbered(part: Part, tables: Mapping[int, int]) -> Part:
    """A part with the ids of tables that saving assigned."""
    match part:
        case Neighborhood(tables=keys) | GroupTables(tables=keys):
            return replace(part, tables=frozenset(tables.get(key, key) for key in keys))
        case PathsBetween(start, end):
            return PathsBetween(tables.get(start, start), tables.get(end, end))
        case ViewTables(view, keys) if keys is not None:
            return ViewTables(view, frozenset(tables.get(key, key) for key in keys))
        case _:
            return part


@dataclass(frozen=True, slots=True)
class ScopedGraph:
    """The part of a graph that is shown.

    ``left_out`` are the boxes of tables that are not shown, ``beyond`` the number of links of each shown
    table that lead to or come from such tables. ``paths`` are those between two tables, if the scope shows
    these.
    """

    graph: SchemaGraph
    left_out: tuple[Box, ...] = ()
    beyond: Mapping[int, int] = field(default_factory=dict)
    paths: Paths | None = None


def apply_scope(graph: SchemaGraph, scope: Scope) -> ScopedGraph:
    """The boxes, links and ghosts of the graph that a scope shows. A whole graph is returned as it is."""
    if scope == Scope():
        return ScopedGraph(graph)
    if scope.part is not None:
        # A table that became a nested one is shown with its owner.
        scope = scope.renumbered({table: box.table for box in graph.boxes for table in box.tables})
    every, paths = frozenset(box.table for box in graph.boxes), None
    if isinstance(scope.part, PathsBetween):
        paths = shortest_paths(graph.edges, scope.part.start, scope.part.end)
    shown = _named_tables(scope.part, every) | scope.added
    if paths is not None:
        shown |= paths.tables
    elif isinstance(scope.part, Neighborhood):
        shown |= frozenset(distances(graph.edges, scope.part.tables, scope.part.direction, scope.part.steps))
    shown = (shown & every) - scope.hidden
    # A removed table has no links any more, so it is part of what was chosen or of nothing.
    ghosts = frozenset(ghost.table for ghost in graph.ghosts)
    if scope.part is not None:
        ghosts &= _named_tables(scope.part, ghosts) | scope.added
    ghosts -= scope.hidden
    beyond: Counter[int] = Counter()
    for edge in graph.edges:
        if (edge.source in shown) != (edge.target in shown):
            beyond[edge.source if edge.source in shown else edge.target] += 1
    part = SchemaGraph(
        tuple(box for box in graph.boxes if box.table in shown),
        tuple(edge for edge in graph.edges if edge.source in shown and edge.target in shown),
        tuple(ghost for ghost in graph.ghosts if ghost.table in ghosts),
    )
    left_out = tuple(box for box in graph.boxes if box.table not in shown)
    return ScopedGraph(part, left_out, dict(beyond), paths)


def tables_beyond(graph: SchemaGraph, shown: Collection[int], table: int) -> tuple[int, ...]:
    """The tables that are not shown and that a shown table links to, or that link to it."""
    found: dict[int, None] = {}
    for edge in graph.edges:
        other = {edge.source: edge.target, edge.target: edge.source}.get(table)
        if other is not None and other not in shown:
            found[other] = None
    return tuple(found)


def _named_tables(part: Part, every: frozenset[int]) -> frozenset[int]:
    """The tables that a part names itself."""
    match part:
        case Neighborhood(tables=tables) | GroupTables(tables=tables):
            return tables
        case PathsBetween(start, end):
            return frozenset((start, end))
        case ViewTables(tables=tables) if tables is not None:
            return tables
        case _:
            return every


def names_of(tables: Iterable[int], name: Callable[[int], str]) -> list[str]:
    """The names of tables, sorted."""
    return sorted((name(table) for table in tables), key=str.casefold)
