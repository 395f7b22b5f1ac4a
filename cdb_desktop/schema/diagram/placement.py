"""Places boxes without Graphviz.

Tables are put into layers, linked tables to the right, so that the whole gets the shape of a screen: left to
itself Graphviz puts all tables that link to the same lists into one endless column. New boxes get a place
near those that they are linked with, all others stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from cdb_desktop.schema.diagram.free_space import SPACE, below_all, nearest_free, off_links, overlaps
from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, RoutedEdge, SchemaGraph

WINDOW_ASPECT = 1.5  # width to height of a window's diagram, if the window is not known
_FILLED = 0.87  # of the aspect in which layers are filled: those that are not full make it wider
ASPECT = WINDOW_ASPECT * _FILLED  # of layers

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


def layer_aspect(window: float) -> float:
    """The aspect for `assign_layers` with which the whole gets that of a window."""
    return window * _FILLED


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
    positions = arrangement.positions
    boxes = [box.at(positions[box.table]) for box in graph.boxes if box.table in positions]
    blocked = {
        ghost.table
        for ghost in graph.ghosts
        if ghost.table in positions and any(overlaps(ghost, positions[ghost.table], box) for box in boxes)
    }
    left = {key: position for key, position in positions.items() if key not in blocked}
    return replace(arrangement, positions=left)


def without_covered(graph: SchemaGraph, arrangement: Arrangement, tables: Collection[int]) -> Arrangement:
    """Without the positions of those of ``tables`` that overlap another box, so that they get others."""
    positions = arrangement.positions
    others = [
        box.at(positions[box.table])
        for box in graph.boxes
        if box.table in positions and box.table not in tables
    ]
    covered = {
        box.table
        for box in graph.boxes
        if box.table in tables and box.table in positions
        if any(overlaps(box, positions[box.table], other) for other in others)
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
