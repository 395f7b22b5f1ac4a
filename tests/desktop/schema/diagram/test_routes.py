"""Tests of routes: they start at rows and end at heads, on the sides that face each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdb_desktop.schema.diagram.model import Box, Edge, Path, Point
from cdb_desktop.schema.diagram.placement import route_edge
from cdb_desktop.schema.document.element_ref import ColumnRef

_WIRE = Edge(ColumnRef(1, 5), 2, 1, 30.0, 2, 10.0)
_BOX = Box(1, "one", (), 0.0, 0.0, 100.0, 60.0, 20.0, ())


@pytest.mark.parametrize(
    ("corner", "start", "end"),
    [
        ((300.0, 0.0), (100.0, 30.0), (300.0, 10.0)),
        ((-300.0, 500.0), (0.0, 30.0), (-200.0, 510.0)),
        ((50.0, 100.0), (100.0, 30.0), (150.0, 110.0)),
        ((0.0, 0.0), (100.0, 30.0), (100.0, 10.0)),
    ],
)
def test_ends_are_on_the_facing_sides(corner: Point, start: Point, end: Point) -> None:
    """A route leads right or left, or around the right side if one box is above the other."""
    path = _path(corner)
    assert (path[0], path[-1]) == (start, end)
    assert len(path) == 4


def test_a_loop_is_outside_its_box() -> None:
    """A table may link to itself."""
    edge = replace(_WIRE, target=1, linked=1)
    path = route_edge(edge, _BOX, _BOX).path
    assert (path[0], path[-1]) == ((100.0, 30.0), (100.0, 10.0))
    assert min(x for x, _ in path[1:3]) > _BOX.right


def test_a_route_is_used_while_both_ends_are_unchanged() -> None:
    """Its ends are adjusted to the exact points; after a move it is replaced by a curve."""
    route = ((101.0, 29.0), (150.0, 40.0), (250.0, 5.0), (299.2, 10.9))
    assert _path((300.0, 0.0), route) == ((100.0, 30.0), (150.0, 40.0), (250.0, 5.0), (300.0, 10.0))
    assert _path((310.0, 0.0), route)[1:3] != route[1:3]
    assert _path((-300.0, 0.0), route)[1:3] != route[1:3]


def _path(corner: Point, route: Path | None = None) -> Path:
    target = replace(_BOX, table=2, x=corner[0], y=corner[1])
    return route_edge(_WIRE, _BOX, target, route).path
