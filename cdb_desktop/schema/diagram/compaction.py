"""Moves boxes of an arrangement in layers together, without the space that Graphviz keeps for long links.

Graphviz reserves a place in each layer that a link passes. Links are routed around boxes by `routing`, so
that space stays empty: more than half of large diagrams, which makes all smaller when the whole is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, SchemaGraph

_SWEEPS = 8  # over all columns, to and fro
_SLACK = 1.1  # of the height of the highest column without space, for columns that are not full
_SAME = 1.0  # units between the middles of boxes of one layer
# The end of a link at another box: the number of that box, and how much lower it is if the link is straight.
_Ends = list[tuple[int, float, float]]


def compact(graph: SchemaGraph, arrangement: Arrangement, space: float) -> Arrangement:
    """With the boxes of each layer moved up or down: in the same order, near those that they are linked with.

    A layer is a column of boxes with the same middle; their left sides are aligned. ``space`` is between
    boxes of a layer.
    """
    boxes = [box.at(arrangement.positions[box.table]) for box in graph.boxes]
    columns = list(_columns(boxes))
    if len(columns) < 2:
        return arrangement
    highest = max(_height([boxes[at] for at in column], space) for column in columns)
    room = highest * _SLACK
    ends = _ends(graph, boxes, columns)
    tops = [0.0] * len(boxes)
    for column in columns:
        _place(column, boxes, space, room, {at: boxes[at].y for at in column}, tops)
    for sweep in range(_SWEEPS):
        order = columns if sweep % 2 else columns[::-1]
        for column in order:
            wanted = {at: _wanted(at, ends[at], tops) for at in column}
            _place(column, boxes, space, room, wanted, tops)
    positions: dict[int, Point] = {}
    for column in columns:
        left = min(boxes[at].x for at in column)
        for at in column:
            positions[boxes[at].table] = (left, tops[at])
    return arrangement.moved(positions)


def _columns(boxes: Sequence[Box]) -> Iterator[list[int]]:
    """The numbers of the boxes of each layer from top to bottom, the layers from left to right."""
    column: list[int] = []
    middles = [box.x + box.width / 2 for box in boxes]
    for at in sorted(range(len(boxes)), key=lambda at: middles[at]):
        if column and middles[at] - middles[column[-1]] > _SAME:
            yield sorted(column, key=lambda at: boxes[at].y)
            column = []
        column.append(at)
    if column:
        yield sorted(column, key=lambda at: boxes[at].y)


def _ends(graph: SchemaGraph, boxes: Sequence[Box], columns: Sequence[Sequence[int]]) -> list[_Ends]:
    numbers = {box.table: at for at, box in enumerate(boxes)}
    layer = {at: number for number, column in enumerate(columns) for at in column}
    found: list[_Ends] = [[] for _ in boxes]
    for edge in graph.edges:
        source, target = numbers[edge.source], numbers[edge.target]
        far = abs(layer[source] - layer[target])
        if far:
            lower = edge.target_y - edge.source_y
            found[source].append((target, lower, 1 / far))
            found[target].append((source, -lower, 1 / far))
    return found


def _wanted(at: int, ends: _Ends, tops: Sequence[float]) -> float:
    """Where the top of a box is if its links are as straight as possible; where it is if it has none."""
    whole = sum(weight for _, _, weight in ends)
    if not whole:
        return tops[at]
    return sum((tops[other] + lower) * weight for other, lower, weight in ends) / whole


def _height(column: Sequence[Box], space: float) -> float:
    return sum(box.height for box in column) + space * (len(column) - 1)


def _place(
    column: Sequence[int],
    boxes: Sequence[Box],
    space: float,
    room: float,
    wanted: dict[int, float],
    tops: list[float],
) -> None:
    """Sets the tops of a column as near to those that are wanted as its order and its room allow."""
    # Without the heights above each box, tops only have to rise: the means of neighbors that do not
    # (isotonic regression) are the nearest ones that do.
    above, offsets = 0.0, []
    for at in column:
        offsets.append(above)
        above += boxes[at].height + space
    pools: list[tuple[float, int]] = []
    for at, offset in zip(column, offsets, strict=True):
        mean, count = wanted[at] - offset, 1
        while pools and pools[-1][0] > mean:
            other, number = pools.pop()
            mean = (mean * count + other * number) / (count + number)
            count += number
        pools.append((mean, count))
    last = room - (above - space)
    rising = (min(max(mean, 0.0), last) for mean, count in pools for _ in range(count))
    for at, offset, top in zip(column, offsets, rising, strict=True):
        tops[at] = top + offset
