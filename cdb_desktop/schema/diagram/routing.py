"""Routes links around boxes, along horizontal and vertical lines.

The space between the boxes is divided into cells: rectangles that are as high as possible, so that the space
between two columns of boxes is few of them. A link passes from cell to cell on the shortest way with few
bends. Within the cells its segments take free tracks, so that parallel links lie side by side. Links that
end at the same head are spread along it; many of them are bundled: they share one end and, where they can,
their way.

Only links that a change concerns are routed again: see `Router.update`. No library that can be installed with
Python does this at the speed of a drag: Graphviz's routes with obstacles take a second for 50 tables, and
libavoid has no packages.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

from cdb_desktop.schema.diagram.model import Box, Edge, Path, Point, RoutedEdge
from cdb_desktop.schema.document.element_ref import ColumnRef

TRACK = 6.0  # between parallel links
_CLEAR, _BESIDE = 8.0, 24.0  # between a link and the boxes above and below, and those whose links end there
_SOURCE_STUB, _TARGET_STUB = 22.0, 20.0  # straight ends, where the symbols are
_BUNDLE_STUB = 46.0  # with the number of links
_BEND = 40.0  # what two bends cost, as a length
_NARROW = 12.0  # of a passage that is avoided, and what that costs
_AHEAD = 1.2  # weight of the distance that is left: above 1 for speed, at the price of a few longer ways
_ENDLESS = 1e12
_OUTSIDE = 400.0  # how far around all boxes links may run
_SHRINK = 0.5  # of boxes, so that there is a way between boxes that touch
_FACING = 30.0  # boxes this far apart are linked between the sides that face each other
_LOOP = 36.0  # how far a link that ignores boxes goes around
_SLOT = 8.0  # between the ends of links at a head
_SPREAD = 3  # more links than this at one side of a head are bundled
_BUCKET, _LONG = 64.0, 3200.0  # the size of the areas by which segments are found, across and along
_AT_ONCE = 16  # links of a bundle, until routing can be interrupted
_MANY = 40  # changed boxes, from which all links are routed
_NEAR = 24.0  # links this near to where a box was may have gone around it
_BY_BOX = 6.0  # links this near to where a box is would look as if they ended there

_RIGHT, _LEFT = 1, -1
_SIDES = ((_RIGHT, _LEFT), (_LEFT, _RIGHT), (_RIGHT, _RIGHT), (_LEFT, _LEFT))

# Where links end: the table whose head it is, the side, and whether a row must be linked if there are many.
_Group = tuple[int, int, bool | None]


class _End(NamedTuple):
    """A point on the side of a box; ``side`` is 1 at the right and -1 at the left."""

    x: float
    y: float
    side: int


class _Plan(NamedTuple):
    """Between which points a link goes, and with which others it shares its end."""

    source: _End
    target: _End
    bundle: _Group | None

    @property
    def stub(self) -> float:
        """The length of the straight end at the target."""
        return _TARGET_STUB if self.bundle is None else _BUNDLE_STUB


# The way to another cell: its number, the upper and lower limit of links, x, its price, and the direction.
_Passage = tuple[int, float, float, float, float, int]


@dataclass(slots=True)
class _Cell:
    """A rectangle without boxes, and the passages to others."""

    left: float
    top: float
    bottom: float
    right: float = 0.0
    passages: list[_Passage] = field(default_factory=list)


# A passage as a link takes it: upper and lower limit, x, and direction.
_Window = tuple[float, float, float, int]
_Way = tuple[list[int], list[_Window]]


class _Space:
    """The cells between boxes.

    There are none between sides that are less than ``narrow`` apart: a link in them would seem to be a side.
    """

    def __init__(self, boxes: Iterable[Box], narrow: float = _NARROW) -> None:
        self._narrow = narrow
        self.cells: list[_Cell] = []
        self._beside: dict[tuple[int, int], list[int]] = {}
        self._divide(list(boxes))

    def cell_beside(self, table: int, side: int, y: float) -> int | None:
        """The cell at a side of a box, None if another box is there."""
        for number in self._beside.get((table, side), ()):
            if self.cells[number].top <= y <= self.cells[number].bottom:
                return number
        return None

    def ways_to(self, goal: int, end: _End, starts: Mapping[int, _End]) -> dict[int, _Way]:
        """The ways from some cells to the cell at the end of links, where there is one."""
        cells = self.cells
        only = next(iter(starts.values())) if len(starts) == 1 else None
        goal_x, goal_y = (only.x, only.y) if only else (0.0, 0.0)
        missing = set(starts)
        came: dict[int, tuple[int, _Passage]] = {}
        done: set[int] = set()
        found: dict[int, _Way] = {}
        waiting = [(0.0, 0.0, goal, end.x, end.y)]
        best = {goal: 0.0}
        while waiting:
            _, cost, number, x, y = heappop(waiting)
            if number in done:
                continue
            done.add(number)
            if number in missing:
                found[number] = _followed(number, goal, came)
                missing.discard(number)
                if not missing:
                    break
            for passage in cells[number].passages:
                other, low, high, at = passage[:4]
                if other in done:
                    continue
                price = cost + (at - x if at > x else x - at) + passage[4]
                down = y
                if y < low:
                    price += low - y + _BEND
                    down = low
                elif y > high:
                    price += y - high + _BEND
                    down = high
                if price < best.get(other, _ENDLESS):
                    best[other] = price
                    came[other] = (number, passage)
                    ahead = abs(at - goal_x) + abs(down - goal_y) if only else 0.0
                    heappush(waiting, (price + _AHEAD * ahead, price, other, at, down))
        return found

    def _divide(self, boxes: Sequence[Box]) -> None:
        if not boxes:
            return
        changes: dict[float, list[tuple[Box, bool]]] = defaultdict(list)
        for box in boxes:
            changes[box.x + _SHRINK].append((box, True))
            changes[max(box.right - _SHRINK, box.x + 2 * _SHRINK)].append((box, False))
        top = min(box.y for box in boxes) - _OUTSIDE
        bottom = max(box.bottom for box in boxes) + _OUTSIDE
        there: list[tuple[float, float, int]] = []
        first = min(changes) - _OUTSIDE
        cells = self.cells
        cells.append(_Cell(first, top, bottom))
        opened: dict[tuple[float, float], int] = {(top, bottom): 0}
        for x, end, changed in _clusters(changes, self._narrow):
            for box, begins in changed:
                entry = (box.y + _SHRINK, box.bottom - _SHRINK, box.table)
                if begins:
                    insort(there, entry)
                else:
                    there.remove(entry)
            free = set(_free(there, top, bottom))
            closed = [(span, opened[span]) for span in sorted(opened.keys() - free)]
            fresh = [(span, len(cells) + n) for n, span in enumerate(sorted(free - opened.keys()))]
            cells += [_Cell(end, *span) for span, _ in fresh]
            for span, _ in closed:
                del opened[span]
            opened.update(fresh)
            self._join(closed, fresh, x)
            for box, begins in changed:
                side, beside = (_LEFT, closed) if begins else (_RIGHT, fresh)
                self._beside[(box.table, side)] = [
                    number for (low, high), number in beside if low < box.bottom and high > box.y
                ]
        for number in opened.values():
            cells[number].right = max(changes) + _OUTSIDE

    def _join(
        self,
        closed: Iterable[tuple[tuple[float, float], int]],
        fresh: Sequence[tuple[tuple[float, float], int]],
        x: float,
    ) -> None:
        cells = self.cells
        for (top, bottom), number in closed:
            cells[number].right = x
            for (low, high), other in fresh:
                upper, lower = max(top, low), min(bottom, high)
                if upper < lower:
                    between = (*_inset(upper, lower), x, _NARROW if lower - upper < _NARROW else 0.0)
                    cells[number].passages.append((other, *between, _RIGHT))
                    cells[other].passages.append((number, *between, _LEFT))


def _clusters(
    changes: Mapping[float, list[tuple[Box, bool]]], narrow: float
) -> Iterator[tuple[float, float, list[tuple[Box, bool]]]]:
    """From where to where sides of boxes are near to one another, and which."""
    waiting = sorted(changes)
    while waiting:
        count = max(bisect_left(waiting, waiting[0] + narrow), 1)
        near, waiting = waiting[:count], waiting[count:]
        yield near[0], near[-1], [change for x in near for change in changes[x]]


def _free(
    there: Iterable[tuple[float, float, int]], top: float, bottom: float
) -> Iterator[tuple[float, float]]:
    """The intervals between others, which are sorted and may overlap."""
    below = top
    for upper, lower, _ in there:
        if upper > below:
            yield (below, upper)
        if lower > below:  # noqa: PLR1730 - faster than max, and called for every box beside every edge
            below = lower
    if bottom > below:
        yield (below, bottom)


def _followed(start: int, goal: int, came: Mapping[int, tuple[int, _Passage]]) -> _Way:
    """The way that was searched from its end."""
    cells, windows = [start], []
    while cells[-1] != goal:
        number, (_, low, high, x, _, direction) = came[cells[-1]]
        cells.append(number)
        windows.append((low, high, x, -direction))
    return cells, windows


def _inset(low: float, high: float, room: float = _CLEAR) -> tuple[float, float]:
    """An interval without the space that is kept clear at its ends, at least its middle."""
    space = min(room, (high - low) / 2)
    return low + space, high - space


# A segment: the areas in which it is, its position and bundle, and from where to where it goes.
_Segment = tuple[list[tuple[int, int]], tuple[float, object], tuple[float, float]]


def _segment(at: float, one: float, other: float, bundle: _Group | None) -> _Segment:
    start, end = (one, other) if one < other else (other, one)
    column = int(at // _BUCKET)
    parts = [(column, part) for part in range(int(start // _LONG), int(end // _LONG) + 1)]
    return parts, (at, object() if bundle is None else bundle), (start, end)


class _Tracks:
    """The segments in one direction: where they are, from where to where, and to which bundle they belong."""

    def __init__(self) -> None:
        # For each area the extents by position and bundle; the segments of a bundle at a position are one.
        self._areas: dict[tuple[int, int], dict[tuple[float, object], tuple[float, float]]] = defaultdict(
            dict
        )

    def add(self, segments: Iterable[_Segment]) -> None:
        """Adds segments."""
        areas = self._areas
        for parts, key, extent in segments:
            for part in parts:
                area = areas[part]
                known = area.get(key)
                if known is None:
                    area[key] = extent
                elif extent[0] < known[0] or extent[1] > known[1]:
                    area[key] = (min(extent[0], known[0]), max(extent[1], known[1]))

    def choose(
        self, between: tuple[float, float], wanted: float, extent: tuple[float, float], bundle: _Group | None
    ) -> float:
        """A position for a segment: where its bundle is, else the free one nearest to ``wanted``."""
        low, high = between
        least, most = low - TRACK, high + TRACK
        start, end = min(extent) - 1, max(extent) + 1
        near = [
            key
            for column in range(int(least // _BUCKET), int(most // _BUCKET) + 1)
            for part in range(int(start // _LONG), int(end // _LONG) + 1)
            for key, (one, other) in self._areas.get((column, part), {}).items()
            if least < key[0] < most and one < end and other > start
        ]
        if bundle is not None:
            shared = [at for at, owner in near if owner == bundle and low <= at <= high]
            if shared:
                return shared[0]
        taken = [at for at, _ in near]
        if not taken:
            return wanted
        return _freest(between, wanted, taken)


def _freest(between: tuple[float, float], wanted: float, taken: Sequence[float]) -> float:
    """The position nearest to ``wanted`` with enough space to others, else that with the most space."""
    low, high = between
    best, widest = wanted, -1.0
    for step in range(int((high - low) / TRACK) + 2):
        for at in (wanted + step * TRACK, wanted - step * TRACK):
            if low <= at <= high:
                space = min(abs(at - other) for other in taken)
                if space >= TRACK - 0.1:
                    return at
                if space > widest:
                    best, widest = at, space
    return best


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes of a state of a diagram, between which boxes, and which links waited for theirs."""

    boxes: dict[int, Box]
    links: dict[int, RoutedEdge]
    waiting: frozenset[int]

    def renumbered(self, tables: Mapping[int, int], columns: Mapping[int, int]) -> Routes:
        """With the ids of tables and columns that saving assigned, by the keys before."""
        boxes = {
            tables.get(key, key): replace(box, table=tables[key]) if key in tables else box
            for key, box in self.boxes.items()
        }
        links: dict[int, RoutedEdge] = {}
        for key, link in self.links.items():
            edge, column = link.edge, columns.get(key, key)
            ends = (edge.ref.table, edge.linked, edge.source, edge.target)
            if column != key or not tables.keys().isdisjoint(ends):
                table, linked, source, target = (tables.get(end, end) for end in ends)
                ref = ColumnRef(table, column)
                edge = replace(edge, ref=ref, linked=linked, source=source, target=target)
            links[column] = link.changed(edge, link.bundled)
        return Routes(boxes, links, frozenset(columns.get(key, key) for key in self.waiting))


class Router:
    """The routes of a diagram that changes.

    Call `update` with each new state, then `route` until it returns True. Links that still wait for their
    route ignore boxes.
    """

    def __init__(self) -> None:
        self._boxes: dict[int, Box] = {}
        self._edges: dict[int, Edge] = {}
        self._plans: dict[int, _Plan] = {}
        self._links: dict[int, RoutedEdge] = {}
        self._waiting: dict[int, None] = {}
        self._steps: Iterator[None] | None = None
        # The segments of links with the path and bundle that they were made of; copies share them.
        self._segments: dict[int, tuple[Path, _Group | None, list[_Segment], list[_Segment]]] = {}
        self._space = _Space(())
        self._narrow_space: _Space | None = None  # with narrow cells, if they are needed
        self._tracks: tuple[_Tracks, _Tracks] = (_Tracks(), _Tracks())

    @property
    def links(self) -> tuple[RoutedEdge, ...]:
        """All links in the order of the edges."""
        return tuple(self._links[key] for key in self._edges)

    @property
    def is_done(self) -> bool:
        """Whether no link waits for its route."""
        return not self._waiting

    @property
    def routes(self) -> Routes:
        """The routes now. New ones depend on those before: `restored` leads back to exactly these."""
        return Routes(self._boxes, dict(self._links), frozenset(self._waiting))

    @classmethod
    def restored(cls, routes: Routes) -> Router:
        """A router with the routes of a former state."""
        found = cls()
        found._boxes, found._links = routes.boxes, dict(routes.links)
        found._edges = {key: link.edge for key, link in routes.links.items()}
        found._plans, _ = _plans(found._boxes, found._edges)
        found._waiting = {key: None for key in found._links if key in routes.waiting}
        return found

    def copy(self) -> Router:
        """A router with the same state, so that a drag need not depend on where the box was in between."""
        other = Router()
        other._boxes, other._edges, other._plans = self._boxes, self._edges, self._plans
        other._links, other._waiting = dict(self._links), dict(self._waiting)
        other._segments = self._segments
        return other

    def update(self, boxes: Sequence[Box], edges: Sequence[Edge]) -> None:
        """Takes a new state.

        Links are routed again if an end has moved, and if they cross or touch a box that has moved, ran
        beside its former position, or found no way between the sides that face each other.
        """
        before, self._boxes = self._boxes, {box.table: box for box in boxes}
        former_edges, self._edges = self._edges, {edge.ref.column: edge for edge in edges}
        areas = list(_changed_areas(before, self._boxes))
        if not areas and self._edges == former_edges and list(self._edges) == list(former_edges):
            return
        plans, counts = _plans(self._boxes, self._edges)
        former, self._plans = self._plans, plans
        links: dict[int, RoutedEdge] = {}
        waiting: dict[int, None] = {}
        is_new = len(areas) > _MANY
        for key, edge in self._edges.items():
            link, plan = self._links.get(key), plans[key]
            if link is None or is_new or plan != former.get(key):
                waiting[key] = None
                links[key] = RoutedEdge(edge, _direct(plan), counts.get(key, 0))
                continue
            if key in self._waiting or (areas and (_is_elsewhere(link, plan) or _touches(link.path, areas))):
                waiting[key] = None
            links[key] = link.changed(edge, counts.get(key, 0))
        self._links, self._waiting = links, waiting
        if areas or waiting:
            self._steps = None

    def route(self, limit: float | None = None) -> bool:
        """Routes waiting links for about ``limit`` seconds. Returns whether none waits any more."""
        if not self._waiting or limit == 0:
            return not self._waiting
        end = None if limit is None else perf_counter() + limit
        if self._steps is None:
            self._steps = self._work()
        for _ in self._steps:
            if end is not None and perf_counter() > end:
                break
        return not self._waiting

    def _work(self) -> Iterator[None]:
        """Routes all waiting links; can be interrupted after each step."""
        self._space, self._narrow_space = _Space(self._boxes.values()), None
        self._tracks = (_Tracks(), _Tracks())
        self._segments = {key: known for key, known in self._segments.items() if key in self._links}
        yield
        for key, link in self._links.items():
            if key not in self._waiting:
                self._occupy(key, link.path, self._plans[key].bundle)
        for keys in _jobs(self._waiting, self._plans):
            ways = self._ways(keys)
            for number, key in enumerate(keys, start=1):
                plan, way = self._plans[key], ways.get(key)
                path = self._elsewhere(key) if way is None else self._realized(way, plan)
                self._occupy(key, path, plan.bundle)
                link = self._links[key]
                self._links[key] = RoutedEdge(link.edge, path, link.bundled)
                del self._waiting[key]
                if number % _AT_ONCE == 0 or number == len(keys):
                    yield

    def _ways(self, keys: Sequence[int]) -> dict[int, _Way]:
        """The ways of links that end at the same point, where there are any."""
        space, target = self._space, self._plans[keys[0]].target
        goal = space.cell_beside(self._edges[keys[0]].target, target.side, target.y)
        starts: dict[int, _End] = {}
        cells: dict[int, int] = {}
        for key in keys:
            source = self._plans[key].source
            cell = space.cell_beside(self._edges[key].source, source.side, source.y)
            if cell is not None:
                starts[cell] = source
                cells[key] = cell
        found = {} if goal is None else space.ways_to(goal, target, starts)
        return {key: found[cell] for key, cell in cells.items() if cell in found}

    def _elsewhere(self, key: int) -> Path:
        """A way between other sides or through a narrow space; if there is none, one that ignores boxes."""
        path, wide = self._between_sides(key), self._space
        if path is None:
            self._space = self._narrow_space = self._narrow_space or _Space(self._boxes.values(), 0.0)
            path = self._between_sides(key)
            self._space = wide
        return path or _direct(self._plans[key])

    def _between_sides(self, key: int) -> Path | None:
        edge, plan, space = self._edges[key], self._plans[key], self._space
        source, target = self._boxes[edge.source], self._boxes[edge.target]
        for sides in _SIDES:
            start, end = _end(source, plan.source.y, sides[0]), _end(target, plan.target.y, sides[1])
            first = space.cell_beside(edge.source, start.side, start.y)
            last = space.cell_beside(edge.target, end.side, end.y)
            if first is not None and last is not None:
                way = space.ways_to(last, end, {first: start}).get(first)
                if way is not None:
                    return self._realized(way, _Plan(start, end, None))
        return None

    def _occupy(self, key: int, path: Path, bundle: _Group | None) -> None:
        """Adds the segments of a link, which are kept for as long as it has the same path."""
        known = self._segments.get(key)
        if known is None or known[0] is not path or known[1] != bundle:
            across, down = [], []
            for (x, y), (right, bottom) in pairwise(path):
                if x == right:
                    down.append(_segment(x, y, bottom, bundle))
                elif y == bottom:
                    across.append(_segment(y, x, right, bundle))
            known = self._segments[key] = (path, bundle, across, down)
        self._tracks[0].add(known[2])
        self._tracks[1].add(known[3])

    def _realized(self, way: _Way, plan: _Plan) -> Path:
        """The path through cells: horizontal segments joined by vertical ones."""
        numbers, windows = way
        spans = _spans(windows, plan.source.y, plan.target.y)
        last = len(spans) - 1
        points: list[Point] = [(plan.source.x, plan.source.y)]
        y = plan.source.y
        for at in range(last):
            cell, following = spans[at][2], spans[at + 1]
            if at + 1 == last:
                below = plan.target.y
            else:
                extent = (windows[cell][2], windows[following[2] - 1][2])
                low, high = following[:2]
                wanted = (low + high) / 2 if high - low < _BUCKET else min(max(y, low), high)
                below = self._tracks[0].choose((low, high), wanted, extent, plan.bundle)
            reach = (spans[at - 1][2] if at else -1, following[2] if at + 1 < last else len(numbers))
            x = self._vertical(way, plan, cell, reach, (y, below), points[-1][0])
            points += [(x, y), (x, below)]
            y = below
        points.append((plan.target.x, plan.target.y))
        return tuple(points)

    def _vertical(
        self, way: _Way, plan: _Plan, at: int, reach: tuple[int, int], ys: tuple[float, float], behind: float
    ) -> float:
        """The x of a vertical segment in a cell of the way or, if it passes through, in those next to it.

        ``reach`` are the cells of the vertical segments before and after it.
        """
        numbers, windows = way
        ahead = windows[at - 1][3] if at else plan.source.side
        on = windows[at][3] if at < len(windows) else -plan.target.side
        if ahead == on:
            between, wanted = self._between(way, plan, at, reach, ys, behind)
        else:
            between, wanted = self._turn(
                numbers[at], ahead, ys, plan, (reach[0] < 0, reach[1] == len(numbers))
            )
        return self._tracks[1].choose(between, wanted, ys, plan.bundle)

    def _between(
        self, way: _Way, plan: _Plan, at: int, reach: tuple[int, int], ys: tuple[float, float], behind: float
    ) -> tuple[tuple[float, float], float]:
        """From where to where a segment may be that the link passes from side to side, and where best."""
        numbers, windows = way
        cells = self._space.cells
        ahead = windows[at - 1][3] if at else plan.source.side
        first = last = at
        while (
            first - 1 > reach[0]
            and windows[first - 1][3] == ahead
            and _spans_cell(cells[numbers[first - 1]], ys)
        ):
            first -= 1
        while last + 1 < reach[1] and windows[last][3] == ahead and _spans_cell(cells[numbers[last + 1]], ys):
            last += 1
        ends = (cells[numbers[first]], cells[numbers[last]])
        low, high = _inset(min(cell.left for cell in ends), max(cell.right for cell in ends), _BESIDE)
        one, other = (low, high) if ahead == _RIGHT else (-high, -low)
        if reach[0] < 0:
            one = max(one, min(ahead * plan.source.x + _SOURCE_STUB, other))
        if reach[1] == len(numbers):
            other = min(other, max(ahead * plan.target.x - plan.stub, one))
        one = max(one, min(ahead * behind, other))
        wanted = one if reach[0] < 0 and plan.bundle is None else (one + other) / 2
        if reach[1] == len(numbers) and (reach[0] >= 0 or plan.bundle is not None):
            wanted = other
        return ((one, other) if ahead == _RIGHT else (-other, -one)), ahead * wanted

    def _turn(
        self, number: int, ahead: int, ys: tuple[float, float], plan: _Plan, ends: tuple[bool, bool]
    ) -> tuple[tuple[float, float], float]:
        """From where to where a segment may be at which the link turns back, and where best."""
        cells = self._space.cells
        far = cell = cells[number]
        while (far.right - cell.left if ahead == _RIGHT else cell.right - far.left) < _BUCKET:
            following = [
                cells[other]
                for other, _, _, _, _, direction in far.passages
                if direction == ahead and _spans_cell(cells[other], ys)
            ]
            if not following:
                break
            far = following[0]
        low, high = _inset(min(cell.left, far.left), max(cell.right, far.right), _BESIDE)
        one, other = (low, high) if ahead == _RIGHT else (-high, -low)
        if ends[0]:
            one = max(one, min(ahead * plan.source.x + _SOURCE_STUB, other))
        if ends[1]:
            one = max(one, min(ahead * plan.target.x + plan.stub, other))
        return ((one, other) if ahead == _RIGHT else (-other, -one)), ahead * one


def direct_links(links: Iterable[RoutedEdge], boxes: Mapping[int, Box]) -> Iterator[RoutedEdge]:
    """Links as shown while a box is dragged in a large diagram: they ignore other boxes."""
    for link in links:
        edge = link.edge
        source, target = boxes[edge.source], boxes[edge.target]
        start, end = _facing(source, target)
        plan = _Plan(
            _end(source, source.y + edge.source_y, start), _end(target, target.y + edge.target_y, end), None
        )
        yield RoutedEdge(edge, _direct(plan))


def _changed_areas(
    before: Mapping[int, Box], now: Mapping[int, Box]
) -> Iterator[tuple[float, float, float, float]]:
    """Where boxes are now that were not there, and where boxes were, with the space around them."""
    for table, box in now.items():
        former = before.get(table)
        if former is None:
            yield _around(box, _BY_BOX)
        elif former is not box and (
            (former.x, former.y, former.width, former.height) != (box.x, box.y, box.width, box.height)
        ):
            yield _around(box, _BY_BOX)
            yield _around(former, _NEAR)
    for table in before.keys() - now.keys():
        yield _around(before[table], _NEAR)


def _is_elsewhere(link: RoutedEdge, plan: _Plan) -> bool:
    """Whether the link does not end where it is meant to."""
    return link.path[0][0] != plan.source.x or link.path[-1][0] != plan.target.x


def _around(box: Box, space: float) -> tuple[float, float, float, float]:
    return box.x - space, box.y - space, box.right + space, box.bottom + space


def _touches(path: Path, areas: Iterable[tuple[float, float, float, float]]) -> bool:
    """Whether a path of horizontal and vertical segments passes through one of some rectangles."""
    xs, ys = [x for x, _ in path], [y for _, y in path]
    extent = (min(xs), min(ys), max(xs), max(ys))
    for left, top, right, bottom in areas:
        if extent[0] >= right or extent[2] <= left or extent[1] >= bottom or extent[3] <= top:
            continue
        for (x, y), (far, low) in pairwise(path):
            if min(x, far) < right and max(x, far) > left and min(y, low) < bottom and max(y, low) > top:
                return True
    return False


def _plans(boxes: Mapping[int, Box], edges: Mapping[int, Edge]) -> tuple[dict[int, _Plan], dict[int, int]]:
    """The ends of all links, and for one link of each bundle how many links it is."""
    heads: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
    sides: dict[int, tuple[int, int]] = {}
    for key, edge in edges.items():
        source, target = boxes[edge.source], boxes[edge.target]
        sides[key] = _facing(source, target)
        heads[(edge.linked, sides[key][1])].append((source.y + edge.source_y, key))
    plans: dict[int, _Plan] = {}
    counts: dict[int, int] = {}
    for (linked, side), members in heads.items():
        members.sort()
        for slot, bundle, keys in _slots(linked, side, members, edges):
            for key in keys:
                edge = edges[key]
                start = _end(boxes[edge.source], boxes[edge.source].y + edge.source_y, sides[key][0])
                target = boxes[edge.target]
                y = target.y + edge.target_y
                off = start.y - y
                # The only link at a head is straight if it nearly is.
                y += off if len(members) == 1 and abs(off) <= _SLOT else slot
                plans[key] = _Plan(start, _end(target, y, side), bundle)
            count = sum(edges[key].count for key in keys)
            if count > 1 and (bundle is not None or len(keys) == 1):
                counts[keys[0]] = count
    return plans, counts


def _slots(
    linked: int, side: int, members: Sequence[tuple[float, int]], edges: Mapping[int, Edge]
) -> Iterator[tuple[float, _Group | None, list[int]]]:
    """How far from the middle of a head links end: a few each at a point of its own, many at one or two.

    A bundle has one symbol at its end, so links from columns that may be empty are not bundled with others.
    """
    keys = [key for _, key in members]
    are_single = all(edges[key].count == 1 for key in keys) or len(keys) == 1
    if len(keys) <= _SPREAD and are_single:
        for number, key in enumerate(keys):
            yield (number - (len(keys) - 1) / 2) * _SLOT, None, [key]
        return
    kinds = [[key for key in keys if edges[key].required is required] for required in (True, False)]
    kinds = [kind for kind in kinds if kind]
    for number, kind in enumerate(kinds):
        group = (linked, side, edges[kind[0]].required)
        yield (number - (len(kinds) - 1) / 2) * 1.75 * _SLOT, group, kind


def _facing(source: Box, target: Box) -> tuple[int, int]:
    """The sides between which a link goes."""
    if source is not target:
        if target.x - source.right >= _FACING:
            return _RIGHT, _LEFT
        if source.x - target.right >= _FACING:
            return _LEFT, _RIGHT
    if abs(source.x - target.x) < abs(source.right - target.right):
        return _LEFT, _LEFT
    return _RIGHT, _RIGHT


def _end(box: Box, y: float, side: int) -> _End:
    return _End(box.right if side == _RIGHT else box.x, y, side)


def _direct(plan: _Plan) -> Path:
    """A path that ignores boxes."""
    start, end = plan.source, plan.target
    if start.side == end.side:
        x = start.side * (max(start.side * start.x, start.side * end.x) + _LOOP)
    else:
        x = (start.x + end.x) / 2
    return (start.x, start.y), (x, start.y), (x, end.y), (end.x, end.y)


def _jobs(waiting: Iterable[int], plans: Mapping[int, _Plan]) -> list[list[int]]:
    """Links that are routed together: bundles first, then others, those of the same side of a box in turn.

    Of these the lowest that lead down, and the uppermost that lead up, turn off first, so that they do not
    cross.
    """
    bundles: dict[_Group, list[int]] = defaultdict(list)
    single = []
    for key in waiting:
        plan = plans[key]
        if plan.bundle is None:
            single.append(key)
        else:
            bundles[plan.bundle].append(key)

    def order(key: int) -> tuple[float, int, bool, float]:
        start, end = plans[key].source, plans[key].target
        down = end.y > start.y
        return start.x, start.side, down, -start.y if down else start.y

    largest = sorted(bundles.values(), key=len, reverse=True)
    return [*largest, *([key] for key in sorted(single, key=order))]


def _spans(windows: Sequence[_Window], start: float, end: float) -> list[tuple[float, float, int]]:
    """The horizontal segments of a way: the limits of each, and the cell in which it ends."""
    spans = []
    low = high = start
    for number, (upper, lower, _, _) in enumerate(windows):
        if max(low, upper) <= min(high, lower):
            low, high = max(low, upper), min(high, lower)
        else:
            spans.append((low, high, number))
            low, high = upper, lower
    if not low <= end <= high:
        spans.append((low, high, len(windows)))
    elif not spans and end != start:
        spans.append((start, start, len(windows)))
    spans.append((end, end, len(windows)))
    return spans


def _spans_cell(cell: _Cell, ys: tuple[float, float]) -> bool:
    """Whether a cell reaches from one y to another."""
    return cell.top + 1 <= min(ys) and cell.bottom - 1 >= max(ys)
