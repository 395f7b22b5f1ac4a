"""Which tables of a schema a diagram shows: all, those near others or on paths, of a group, or chosen ones.

All keys are those of top-level tables; nested tables are shown with their owner. Paths are the shortest ways
along links between two tables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise

from cdb_desktop.schema.diagram.model import Box, Edge, SchemaGraph

MOST_PATHS = 100


class Direction(Enum):
    """Which links are followed from a table."""

    BOTH = "both"
    OUTGOING = "outgoing"
    INCOMING = "incoming"


@dataclass(frozen=True, slots=True)
class LinkStep:
    """Two neighboring tables of a path, and all links between them, in either direction."""

    table: int
    following: int
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Paths:
    """The shortest paths between two tables.

    ``length`` is the number of links of each, None if there is no path. ``total`` is the number of paths, of
    which ``paths`` are the first `MOST_PATHS`; ``tables`` and ``edges`` are those of all paths.
    """

    length: int | None
    total: int
    paths: tuple[tuple[LinkStep, ...], ...]
    tables: frozenset[int]
    edges: tuple[Edge, ...]


def distances(
    edges: Iterable[Edge],
    starts: Iterable[int],
    direction: Direction = Direction.BOTH,
    most: int | None = None,
) -> dict[int, int]:
    """How many links each table is away from the nearest of some tables, as far as it can be reached.

    ``most`` is the greatest distance that is looked at.
    """
    neighbors = _neighbors(edges, direction)
    found = dict.fromkeys(starts, 0)
    nearest, distance = list(found), 0
    while nearest and (most is None or distance < most):
        distance += 1
        following = {other for key in nearest for other in neighbors.get(key, ()) if other not in found}
        nearest = sorted(following)
        found.update(dict.fromkeys(nearest, distance))
    return found


def shortest_paths(edges: Sequence[Edge], start: int, end: int) -> Paths:
    """All shortest paths; links are followed in both directions."""
    from_start = distances(edges, (start,))
    length = from_start.get(end)
    if length is None:
        return Paths(None, 0, (), frozenset(), ())
    to_end = distances(edges, (end,), most=length)
    on_path = {key for key, far in from_start.items() if key in to_end and far + to_end[key] == length}
    between: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in edges:
        one, other = edge.source, edge.target
        if one in on_path and other in on_path and abs(from_start[one] - from_start[other]) == 1:
            first, second = sorted((one, other), key=from_start.__getitem__)
            between[first, second].append(edge)
    following: dict[int, list[int]] = defaultdict(list)
    for first, second in sorted(between):
        following[first].append(second)
    total = {end: 1}
    for key in sorted(on_path - {end}, key=from_start.__getitem__, reverse=True):
        total[key] = sum(total[other] for other in following[key])
    listed = []
    for path in _paths(following, start, end):
        steps = pairwise(path)
        listed.append(tuple(LinkStep(one, other, tuple(between[one, other])) for one, other in steps))
        if len(listed) == MOST_PATHS:
            break
    used = tuple(edge for found in between.values() for edge in found)
    return Paths(length, total[start], tuple(listed), frozenset(on_path), used)


def _neighbors(edges: Iterable[Edge], direction: Direction) -> Mapping[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if direction is not Direction.INCOMING:
            found[edge.source].add(edge.target)
        if direction is not Direction.OUTGOING:
            found[edge.target].add(edge.source)
    return found


def _paths(following: Mapping[int, Sequence[int]], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """The paths in the order of the keys."""
    waiting: list[tuple[int, ...]] = [(start,)]
    while waiting:
        path = waiting.pop()
        if path[-1] == end:
            yield path
        else:
            waiting.extend((*path, other) for other in reversed(following.get(path[-1], ())))


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
