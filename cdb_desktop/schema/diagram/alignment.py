"""Where boxes go that are aligned, spread evenly, or moved together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from cdb_desktop.schema.diagram.model import Box, Point


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
    if how is BoxOrder.LEFT:
        left = min(box.x for box in boxes)
        downs = _apart(boxes, _y, _height)
        return {box.table: (left, downs[box.table]) for box in boxes}
    if how is BoxOrder.TOP:
        top = min(box.y for box in boxes)
        acrosses = _apart(boxes, _x, _width)
        return {box.table: (acrosses[box.table], top) for box in boxes}
    if how is BoxOrder.ACROSS:
        spread = _spread(boxes, _x, _width)
        return {box.table: (spread[box.table], box.y) for box in boxes}
    spread = _spread(boxes, _y, _height)
    return {box.table: (box.x, spread[box.table]) for box in boxes}


_GAP = 24.0  # the least between aligned boxes

_Measure = Callable[[Box], float]


def _apart(boxes: Sequence[Box], start: _Measure, length: _Measure) -> dict[int, float]:
    """The starts of boxes on a line: as they are, but after the one before."""
    found: dict[int, float] = {}
    free = min(map(start, boxes))
    for box in sorted(boxes, key=start):
        found[box.table] = max(start(box), free)
        free = found[box.table] + length(box) + _GAP
    return found


def _spread(boxes: Sequence[Box], start: _Measure, length: _Measure) -> dict[int, float]:
    order = sorted(boxes, key=lambda box: start(box) + length(box) / 2)
    whole = max(start(box) + length(box) for box in boxes) - start(order[0])
    gap = max((whole - sum(map(length, boxes))) / max(len(boxes) - 1, 1), 0.0)
    found: dict[int, float] = {}
    at = start(order[0])
    for box in order:
        found[box.table] = at
        at += length(box) + gap
    return found


def _x(box: Box) -> float:
    return box.x


def _y(box: Box) -> float:
    return box.y


def _width(box: Box) -> float:
    return box.width


def _height(box: Box) -> float:
    return box.height
