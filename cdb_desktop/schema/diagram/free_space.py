"""Finds free space for boxes: between others, and beside links where there is room.

A box that would lie on a link is confusing until the link runs around it. The router sees to that
(`routing`), but a default place that moves no link is better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from cdb_desktop.schema.diagram.model import Box, Point, RoutedEdge

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
