"""Ways along the links of a diagram: what is near a table, and the shortest paths between two tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from cdb_desktop.schema.diagram.model import Edge

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
