"""Tests of boxes that are aligned, spread evenly, placed and arranged together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.graphviz_layout import compute_arrangement, part_of
from cdb_desktop.schema.diagram.graphviz_process import find_graphviz
from cdb_desktop.schema.diagram.model import Box
from cdb_desktop.schema.diagram.placement import BoxOrder, NewPlaces, aligned, place_boxes, shifted_free
from tests.desktop.schema.diagram.graphs import graph_of, overlapping
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK, opened

_SIZES = st.integers(20, 300)
_BOXES = st.lists(st.tuples(st.integers(-500, 500), st.integers(-500, 500), _SIZES, _SIZES), min_size=2)


def _box(table: int, x: float, y: float, width: float = 100, height: float = 50) -> Box:
    return Box(table, f"t{table}", (), x, y, width, height, 20, ())


@given(_BOXES, st.sampled_from([BoxOrder.LEFT, BoxOrder.TOP]))
def test_aligned_boxes_share_a_side_and_do_not_overlap(
    sizes: list[tuple[int, int, int, int]], how: BoxOrder
) -> None:
    """Their order stays."""
    boxes = [_box(number, *size) for number, size in enumerate(sizes)]
    found = aligned(boxes, how)
    moved = [box.at(found[box.table]) for box in boxes]
    sides = {box.x if how is BoxOrder.LEFT else box.y for box in moved}
    assert sides == {min(box.x if how is BoxOrder.LEFT else box.y for box in boxes)}
    assert overlapping(tuple(moved)) == []


@pytest.mark.parametrize("how", [BoxOrder.ACROSS, BoxOrder.DOWN])
def test_spread_boxes_have_equal_gaps(how: BoxOrder) -> None:
    """The first and the last one stay."""
    boxes = [_box(1, 0, 0), _box(2, 130, 400), _box(3, 900, 900, 200, 80)]
    found = aligned(boxes, how)
    moved = [box.at(found[box.table]) for box in boxes]
    across = how is BoxOrder.ACROSS
    ends = [(box.x, box.right) if across else (box.y, box.bottom) for box in moved]
    gaps = [after[0] - before[1] for before, after in pairwise(ends)]
    assert gaps[0] == pytest.approx(gaps[1])
    assert (moved[0], moved[2]) == (boxes[0], boxes[2])


def test_copies_keep_their_distances_and_cover_nothing() -> None:
    """They go to the nearest free place."""
    boxes = [_box(1, 0, 0), _box(2, 150, 40), _box(3, 60, 160)]
    found = shifted_free(boxes[:2], boxes, (40, 40))
    copies = [replace(box, table=box.table + 10).at(found[box.table]) for box in boxes[:2]]
    assert (copies[1].x - copies[0].x, copies[1].y - copies[0].y) == (150, 40)
    assert overlapping((*boxes, *copies)) == []


def test_a_wanted_place_and_the_middle_of_the_view() -> None:
    """Wanted places first, then beside the tables that are linked, else into the view."""
    graph = graph_of(opened())
    old = {PERSON: (0.0, 0.0), PICTURE: (0.0, 900.0)}
    found = place_boxes(graph, old, NewPlaces({PLACE: (5000.0, 5000.0)}, (2000.0, 300.0)))
    assert found[PLACE] == (5000.0, 5000.0)
    assert found[WORK][0] < 0
    lonely = replace(graph, edges=())
    box = next(box for box in graph.boxes if box.table == WORK)
    found = place_boxes(lonely, {**old, PLACE: (300.0, 0.0)}, NewPlaces({}, (2000.0, 300.0)))
    assert found[WORK] == (2000.0 - box.width / 2, 300.0 - box.height / 2)


async def test_from_top_to_bottom() -> None:
    """Tables are above those that they link to; only some of them may be arranged."""
    graph = part_of(graph_of(opened()), {WORK, PERSON, PLACE})
    found = await compute_arrangement(graph, find_graphviz(), downwards=True)
    boxes = {box.table: box.at(found.positions[box.table]) for box in graph.boxes}
    assert boxes.keys() == {WORK, PERSON, PLACE}
    assert boxes[PERSON].y > boxes[WORK].bottom
    assert boxes[PLACE].y > boxes[WORK].bottom
    assert overlapping(tuple(boxes.values())) == []
