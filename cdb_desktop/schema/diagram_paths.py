"""The path of a link: as it was routed while that still fits, otherwise a curve of our own."""

from __future__ import annotations

from cdb_desktop.schema.diagram import Box, Link, Path, Point, Wire

_NEAR = 3.0  # what rounding in Graphviz's output can make of a point
_LEAST_BEND, _MOST_BEND = 30.0, 160.0
_LOOP = 36.0


def link_between(wire: Wire, source: Box, target: Box, route: Path | None = None) -> Link:
    """The link from the row's side to the head's side, with boxes where they stand now."""
    start, end = (source.right, source.y + wire.source_y), (target.x, target.y + wire.target_y)
    if route and wire.source != wire.target and _is_near(route[0], start) and _is_near(route[-1], end):
        return Link(wire, (start, *route[1:-1], end))
    return Link(wire, _curve(wire, source, target))


def _curve(wire: Wire, source: Box, target: Box) -> Path:
    """From the side that looks to the other box; where both look away from it, around on the right."""
    start_y, end_y = source.y + wire.source_y, target.y + wire.target_y
    if source.right < target.x and source is not target:
        return _bent((source.right, start_y), (target.x, end_y), 1.0)
    if target.right < source.x:
        return _bent((source.x, start_y), (target.right, end_y), -1.0)
    far = max(source.right, target.right) + _LOOP
    return (source.right, start_y), (far, start_y), (far, end_y), (target.right, end_y)


def _bent(start: Point, end: Point, direction: float) -> Path:
    bend = min(max(abs(end[0] - start[0]) / 2, _LEAST_BEND), _MOST_BEND) * direction
    return start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end


def _is_near(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) < _NEAR and abs(one[1] - other[1]) < _NEAR
