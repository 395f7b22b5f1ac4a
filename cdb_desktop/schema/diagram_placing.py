"""Finds places for new boxes near those that they are linked with, while all others stay where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cdb_desktop.schema.diagram import Arrangement, Box, Point, Sheet
from cdb_desktop.schema.diagram_layers import SPACE, stacked

_FEW = 12  # more new boxes than this stand better among themselves
_STEP = 40.0
_REACH = 30  # steps in each direction
_MARGIN = 24.0


def placed(sheet: Sheet, positions: Mapping[int, Point]) -> dict[int, Point]:
    """Positions for all boxes of a sheet: those given stay, new boxes stand near their neighbours.

    So do ghosts, which as a rule have the position of the time when they were there.
    """
    boxes = (*sheet.boxes, *sheet.ghosts)
    found = {box.table: positions[box.table] for box in boxes if box.table in positions}
    new = [box for box in boxes if box.table not in found]
    if not new:
        return found
    there = [_at(box, found[box.table]) for box in boxes if box.table in found]
    if not there or len(new) > _FEW:
        keys = {box.table for box in new}
        wires = tuple(wire for wire in sheet.wires if wire.source in keys and wire.target in keys)
        return {**found, **stacked(Sheet(tuple(new), wires), _below(there)).positions}
    for box in new:
        position = _free(box, _wish(box, sheet, there), there)
        there.append(_at(box, position))
        found[box.table] = position
    return found


def out_of_the_way(sheet: Sheet, arrangement: Arrangement) -> Arrangement:
    """Without the positions of ghosts on which a box stands now, so that they are given others."""
    positions = arrangement.positions
    boxes = [_at(box, positions[box.table]) for box in sheet.boxes if box.table in positions]
    blocked = {
        ghost.table
        for ghost in sheet.ghosts
        if ghost.table in positions and any(_meet(ghost, positions[ghost.table], box) for box in boxes)
    }
    left = {key: position for key, position in positions.items() if key not in blocked}
    return replace(arrangement, positions=left)


def _at(box: Box, position: Point) -> Box:
    return replace(box, x=position[0], y=position[1])


def _below(there: list[Box]) -> Point:
    """Under all boxes, at their left."""
    if not there:
        return (0.0, 0.0)
    return (min(box.x for box in there), max(box.bottom for box in there) + SPACE[1])


def _wish(box: Box, sheet: Sheet, there: list[Box]) -> Point:
    """To the left of a table that it links to, to the right of one that links to it."""
    standing = {other.table: other for other in there}
    for wire in sheet.wires:
        if wire.source == box.table and wire.target in standing:
            other = standing[wire.target]
            return (other.x - SPACE[0] - box.width, other.y)
        if wire.target == box.table and wire.source in standing:
            other = standing[wire.source]
            return (other.right + SPACE[0], other.y)
    return _below(there)


def _free(box: Box, wish: Point, there: list[Box]) -> Point:
    """The free place nearest to a wish; under everything when there is none within reach."""
    reach = _STEP * _REACH
    near = [
        other
        for other in there
        if other.right > wish[0] - reach - _MARGIN
        and other.x < wish[0] + reach + box.width + _MARGIN
        and other.bottom > wish[1] - reach - _MARGIN
        and other.y < wish[1] + reach + box.height + _MARGIN
    ]
    for across, down in _around():
        position = (wish[0] + across * _STEP, wish[1] + down * _STEP)
        if not any(_meet(box, position, other) for other in near):
            return position
    return _below(there)


def _around() -> Iterator[tuple[int, int]]:
    """Steps from near to far, down and up before aside."""
    steps = range(-_REACH, _REACH + 1)
    yield from sorted(((across, down) for across in steps for down in steps), key=_distance)


def _distance(step: tuple[int, int]) -> int:
    across, down = step
    return 2 * across * across + down * down


def _meet(box: Box, position: Point, other: Box) -> bool:
    x, y = position
    across = x < other.right + _MARGIN and other.x < x + box.width + _MARGIN
    return across and y < other.bottom + _MARGIN and other.y < y + box.height + _MARGIN
