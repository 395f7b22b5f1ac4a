"""Places boxes without Graphviz: new ones in free space, and those that are aligned.

Tables are put into layers, linked tables to the right, so that the whole gets the shape of a screen: left to
itself Graphviz puts all tables that link to the same lists into one endless column. New boxes get a place
near those that they are linked with, all others stay. A box that would lie on a link is confusing until the
link runs around it. The router sees to that (`routing`), but a default place that moves no link is better.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from itertools import pairwise
from math import sqrt

from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, RoutedEdge, SchemaGraph

WINDOW_ASPECT = 1.5  # width to height of a window's diagram, if the window is not known
FILLED = 0.87  # of the aspect in which layers are filled: those that are not full make it wider
ASPECT = WINDOW_ASPECT * FILLED  # of layers

Layers = Mapping[int, int]

_FEW = 12  # more new boxes than this are stacked below the others


def assign_layers(graph: SchemaGraph, aspect: float = ASPECT) -> Layers:
    """The layer of each box by its table, counted from the right: tables are left of those that they link to.

    In a cycle of links one of them goes the other way. ``aspect`` is the width of the whole to its height.
    """
    targets: dict[int, set[int]] = {box.table: set() for box in graph.boxes}
    for edge in graph.edges:
        if edge.source != edge.target:
            targets[edge.source].add(edge.target)
    heights = {box.table: box.height + SPACE[1] for box in graph.boxes}
    area = sum((box.width + SPACE[0]) * heights[box.table] for box in graph.boxes)
    height_limit = max([sqrt(area / aspect), *heights.values()])
    linked = {key for keys in targets.values() for key in keys}
    alone = [key for key, keys in targets.items() if not keys and key not in linked]
    layers: dict[int, int] = {}
    filled: Counter[int] = Counter()
    # Tables without links are placed last and fill the remaining space.
    for key in (*_targets_first(targets, leaving_out=frozenset(alone)), *alone):
        layer = max((layers[other] + 1 for other in targets[key] if other in layers), default=0)
        while filled[layer] and filled[layer] + heights[key] > height_limit:
            layer += 1
        layers[key] = layer
        filled[layer] += int(heights[key])
    return layers


def stack_layers(graph: SchemaGraph, corner: Point = (0.0, 0.0)) -> Arrangement:
    """An arrangement without Graphviz: each layer is a column, beginning at ``corner``."""
    layers = assign_layers(graph)
    columns: dict[int, list[int]] = {}
    boxes = {box.table: box for box in graph.boxes}
    for key, layer in layers.items():
        columns.setdefault(layer, []).append(key)
    positions: dict[int, Point] = {}
    x = corner[0]
    for layer in sorted(columns, reverse=True):
        y = corner[1]
        for key in columns[layer]:
            positions[key] = (x, y)
            y += boxes[key].height + SPACE[1]
        x += max(boxes[key].width for key in columns[layer]) + SPACE[0]
    return Arrangement(positions)


def _targets_first(targets: Mapping[int, Iterable[int]], *, leaving_out: frozenset[int]) -> Iterator[int]:
    """All keys, each after those that it links to; in a cycle, after some of them."""
    met: set[int] = set(leaving_out)
    for start in targets:
        if start in met:
            continue
        met.add(start)
        path = [(start, iter(sorted(targets[start])))]
        while path:
            key, waiting = path[-1]
            following = next((other for other in waiting if other not in met), None)
            if following is None:
                path.pop()
                yield key
            else:
                met.add(following)
                path.append((following, iter(sorted(targets[following]))))


@dataclass(frozen=True, slots=True)
class NewPlaces:
    """Where new boxes go: ``wanted`` are corners by table, ``center`` is where boxes without links go.

    If the user has chosen the center, those with links go there as well. Other boxes are outside of
    ``regions``, if they are in the graph for the first time.
    """

    wanted: Mapping[int, Point] = field(default_factory=dict)
    center: Point | None = None
    is_chosen: bool = False
    regions: Sequence[Box] = ()


def place_boxes(
    graph: SchemaGraph,
    positions: Mapping[int, Point],
    places: NewPlaces | None = None,
    links: Iterable[RoutedEdge] = (),
) -> dict[int, Point]:
    """Positions for all boxes and ghosts: those given stay, others get one near their neighbors.

    Those in ``places`` get the free one nearest to that. A place that the user has not chosen is beside the
    ``links`` where there is room.
    """
    places = places or NewPlaces()
    boxes = (*graph.boxes, *graph.ghosts)
    found = {box.table: positions[box.table] for box in boxes if box.table in positions}
    new = [box for box in boxes if box.table not in found]
    if not new:
        return found
    there = [box.at(found[box.table]) for box in boxes if box.table in found]
    many = [box for box in new if box.table not in places.wanted]
    if many and (not there or len(many) > _FEW):
        keys = {box.table for box in many}
        edges = tuple(edge for edge in graph.edges if edge.source in keys and edge.target in keys)
        stacked = stack_layers(SchemaGraph(tuple(many), edges), below_all(there)).positions
        found.update(stacked)
        there += [box.at(stacked[box.table]) for box in many]
        new = [box for box in new if box.table not in stacked]
    ghosts = {box.table for box in graph.ghosts}
    for box in new:
        preferred = _preferred_position(box, graph, there, NewPlaces() if box.table in ghosts else places)
        is_chosen = places.is_chosen or box.table in places.wanted
        others = there if is_chosen else [*there, *places.regions]
        position = None if is_chosen else off_links(box, preferred, others, links)
        position = position or nearest_free(box, preferred, others)
        there.append(box.at(position))
        found[box.table] = position
    return found


def without_blocked_ghosts(graph: SchemaGraph, arrangement: Arrangement) -> Arrangement:
    """Without the positions of ghosts that a box covers now, so that they get others."""
    return _without_covered(arrangement, graph.ghosts, graph.boxes)


def without_covered(graph: SchemaGraph, arrangement: Arrangement, tables: Collection[int]) -> Arrangement:
    """Without the positions of those of ``tables`` that overlap another box, so that they get others."""
    others = [box for box in graph.boxes if box.table not in tables]
    return _without_covered(arrangement, [box for box in graph.boxes if box.table in tables], others)


def _without_covered(arrangement: Arrangement, boxes: Iterable[Box], others: Iterable[Box]) -> Arrangement:
    positions = arrangement.positions
    there = [box.at(positions[box.table]) for box in others if box.table in positions]
    covered = {
        box.table
        for box in boxes
        if box.table in positions and any(overlaps(box, positions[box.table], other) for other in there)
    }
    left = {key: position for key, position in positions.items() if key not in covered}
    return replace(arrangement, positions=left)


def _preferred_position(box: Box, graph: SchemaGraph, there: list[Box], places: NewPlaces) -> Point:
    """Where it is wanted; to the left of a table that it links to, to the right of one that links to it."""
    if box.table in places.wanted:
        return places.wanted[box.table]
    placed = {other.table: other for other in there}
    for edge in () if places.is_chosen else graph.edges:
        if edge.source == box.table and edge.target in placed:
            other = placed[edge.target]
            return (other.x - SPACE[0] - box.width, other.y)
        if edge.target == box.table and edge.source in placed:
            other = placed[edge.source]
            return (other.right + SPACE[0], other.y)
    if places.center is not None:
        return (places.center[0] - box.width / 2, places.center[1] - box.height / 2)
    return below_all(there)


SPACE = (110.0, 28.0)  # between boxes, across and down
_STEP = 40.0
_REACH = 30  # steps in each direction
_FITTING_REACH = 12  # where each step is tested for more than being free
_MARGIN = 24.0
_COLUMN = 200.0  # the width of the areas by which boxes are found
_BESIDE_LINKS = 12.0  # between a box and the links that it is placed beside


def nearest_free(box: Box, wanted: Point, there: list[Box]) -> Point:
    """The free position nearest to ``wanted``; below all boxes if no position near it is free."""
    return nearest_fitting(box, wanted, there) or below_all(there)


def nearest_fitting(
    box: Box, wanted: Point, there: list[Box], fits: Callable[[Box], bool] | None = None
) -> Point | None:
    """The free position nearest to ``wanted`` at which ``fits`` is true of the box; None if none is near."""
    steps = _REACH if fits is None else _FITTING_REACH
    reach = _STEP * steps
    near = [
        other
        for other in there
        if other.right > wanted[0] - reach - _MARGIN
        and other.x < wanted[0] + reach + box.width + _MARGIN
        and other.bottom > wanted[1] - reach - _MARGIN
        and other.y < wanted[1] + reach + box.height + _MARGIN
    ]
    for across, down in _offsets(steps):
        position = (wanted[0] + across * _STEP, wanted[1] + down * _STEP)
        if fits is not None and not fits(box.at(position)):
            continue
        if not any(overlaps(box, position, other) for other in near):
            return position
    return None


def off_links(box: Box, wanted: Point, there: list[Box], links: Iterable[RoutedEdge]) -> Point | None:
    """The free position nearest to ``wanted`` at which the box lies on no link; None if none is near."""
    reach = _STEP * _FITTING_REACH + _BESIDE_LINKS
    left, top = wanted[0] - reach, wanted[1] - reach
    right, bottom = wanted[0] + box.width + reach, wanted[1] + box.height + reach
    near = [
        segment
        for link in links
        for segment in map(_extent, pairwise(link.path))
        if segment[0] < right and segment[2] > left and segment[1] < bottom and segment[3] > top
    ]

    def is_clear(placed: Box) -> bool:
        left, top = placed.x - _BESIDE_LINKS, placed.y - _BESIDE_LINKS
        right, bottom = placed.right + _BESIDE_LINKS, placed.bottom + _BESIDE_LINKS
        return not any(
            start < right and end > left and upper < bottom and lower > top
            for start, upper, end, lower in near
        )

    return nearest_fitting(box, wanted, there, is_clear)


def _extent(segment: tuple[Point, Point]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a horizontal or vertical segment."""
    (x, y), (far, low) = segment
    return min(x, far), min(y, low), max(x, far), max(y, low)


def shifted_free(
    boxes: Sequence[Box], others: Sequence[Box], wanted: Point, links: Iterable[RoutedEdge] = ()
) -> dict[int, Point]:
    """Where several boxes go together that keep their distances: near ``wanted``, and not over others.

    ``wanted`` is the upper left corner of all of them. They are beside the ``links`` where there is room.
    """
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    width, height = max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top
    whole = replace(boxes[0], x=left, y=top, width=width, height=height)
    there = list(others)
    x, y = off_links(whole, wanted, there, links) or nearest_free(whole, wanted, there)
    return {box.table: (box.x + x - left, box.y + y - top) for box in boxes}


def below_all(there: list[Box]) -> Point:
    """Below all boxes, at their left."""
    if not there:
        return (0.0, 0.0)
    return (min(box.x for box in there), max(box.bottom for box in there) + SPACE[1])


@cache
def _offsets(reach: int) -> tuple[tuple[int, int], ...]:
    """Offsets from near to far, vertical before horizontal."""
    steps = range(-reach, reach + 1)
    return tuple(sorted(((across, down) for across in steps for down in steps), key=_distance))


def _distance(step: tuple[int, int]) -> int:
    across, down = step
    return 2 * across * across + down * down


def overlaps(box: Box, position: Point, other: Box) -> bool:
    """Whether a box at a position would be over another one, or too near to it."""
    x, y = position
    across = x < other.right + _MARGIN and other.x < x + box.width + _MARGIN
    return across and y < other.bottom + _MARGIN and other.y < y + box.height + _MARGIN


class SpaceAbove:
    """Finds how far it is from a box to the next one above."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._columns: dict[int, list[Box]] = defaultdict(list)
        for box in boxes:
            for column in _columns(box):
                self._columns[column].append(box)

    def of(self, box: Box) -> float:
        """The height of the free space above a box, 0 if another one covers its upper edge."""
        near = (other for column in _columns(box) for other in self._columns.get(column, ()))
        return min(
            (
                max(box.y - other.bottom, 0.0)
                for other in near
                if other.table != box.table and other.x < box.right and box.x < other.right
                if other.y < box.y < other.bottom + _COLUMN
            ),
            default=_COLUMN,
        )


def _columns(box: Box) -> range:
    return range(int(box.x // _COLUMN), int(box.right // _COLUMN) + 1)


class BoxOrder(Enum):
    """How several boxes are put in order."""

    LEFT = "left"
    TOP = "top"
    ACROSS = "across"
    DOWN = "down"


def aligned(boxes: Sequence[Box], how: BoxOrder) -> dict[int, Point]:
    """The new corners of all boxes by their tables.

    Aligned boxes that would cover one another are moved apart along the line. Spread boxes have equal gaps
    between the first and the last one, which stay; where there is no space for gaps, they touch.
    """
    if not boxes:
        return {}
    arranged = _apart if how in (BoxOrder.LEFT, BoxOrder.TOP) else _spread
    if how in (BoxOrder.TOP, BoxOrder.ACROSS):
        acrosses, top = (
            arranged({box.table: (box.x, box.width) for box in boxes}),
            min(box.y for box in boxes),
        )
        return {box.table: (acrosses[box.table], top if how is BoxOrder.TOP else box.y) for box in boxes}
    downs, left = arranged({box.table: (box.y, box.height) for box in boxes}), min(box.x for box in boxes)
    return {box.table: (left if how is BoxOrder.LEFT else box.x, downs[box.table]) for box in boxes}


_GAP = 24.0  # the least between aligned boxes

# The start and the length of boxes on a line, by their tables.
_Extents = Mapping[int, tuple[float, float]]


def _apart(extents: _Extents) -> dict[int, float]:
    """The starts of boxes on a line: as they are, but after the one before."""
    found: dict[int, float] = {}
    free = min(start for start, _ in extents.values())
    for table, (start, length) in sorted(extents.items(), key=lambda each: each[1][0]):
        found[table] = max(start, free)
        free = found[table] + length + _GAP
    return found


def _spread(extents: _Extents) -> dict[int, float]:
    order = sorted(extents.items(), key=lambda each: each[1][0] + each[1][1] / 2)
    at = order[0][1][0]
    whole = max(start + length for start, length in extents.values()) - at
    needed = sum(length for _, length in extents.values())
    gap = max((whole - needed) / max(len(extents) - 1, 1), 0.0)
    found: dict[int, float] = {}
    for table, (_, length) in order:
        found[table] = at
        at += length + gap
    return found
