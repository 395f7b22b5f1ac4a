"""Puts the tables of a sheet into layers, linked tables to the right, so that all gets a screen's shape.

Left to itself Graphviz puts all tables that link to the same lists into one endless column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import sqrt

from cdb_desktop.schema.diagram import Arrangement, Point, Sheet

ASPECT = 1.9  # width to height, before links make their way between the boxes of a layer
SPACE = (100.0, 28.0)  # between boxes, across and down

Layers = Mapping[int, int]


def layers_of(sheet: Sheet) -> Layers:
    """The layer of each box by its table, counted from the right: a table stands left of those it links to.

    Only where tables link in a circle one of the links goes the other way.
    """
    targets: dict[int, set[int]] = {box.table: set() for box in sheet.boxes}
    for wire in sheet.wires:
        if wire.source != wire.target:
            targets[wire.source].add(wire.target)
    heights = {box.table: box.height + SPACE[1] for box in sheet.boxes}
    area = sum((box.width + SPACE[0]) * heights[box.table] for box in sheet.boxes)
    room = max([sqrt(area / ASPECT), *heights.values()])
    linked = {key for keys in targets.values() for key in keys}
    alone = [key for key, keys in targets.items() if not keys and key not in linked]
    layers: dict[int, int] = {}
    filled: Counter[int] = Counter()
    # Tables without links come last and fill what room is left.
    for key in (*_targets_first(targets, leaving_out=frozenset(alone)), *alone):
        layer = max((layers[other] + 1 for other in targets[key] if other in layers), default=0)
        while filled[layer] and filled[layer] + heights[key] > room:
            layer += 1
        layers[key] = layer
        filled[layer] += int(heights[key])
    return layers


def stacked(sheet: Sheet, corner: Point = (0.0, 0.0)) -> Arrangement:
    """A plain arrangement made without Graphviz: each layer a column, from a corner on."""
    layers = layers_of(sheet)
    columns: dict[int, list[int]] = {}
    boxes = {box.table: box for box in sheet.boxes}
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
    """All keys, each after those that it links to; where they link in a circle, after some of them."""
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
