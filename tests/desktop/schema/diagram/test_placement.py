"""Tests of placing new boxes near their neighbors; all others stay."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.graphviz_layout import (
    build_diagram,
    compute_arrangement,
    find_graphviz,
    part_of,
)
from cdb_desktop.schema.diagram.model import Arrangement, Box, Diagram
from cdb_desktop.schema.diagram.placement import (
    BoxOrder,
    NewPlaces,
    aligned,
    assign_layers,
    place_boxes,
    shifted_free,
    stack_layers,
    without_blocked_ghosts,
)
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable, remove_table
from tests.desktop.schema.diagram.graphs import HALF_HEAD, graph_of, overlapping
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK, apply, column, museum, opened, table


def _arrangement() -> Arrangement:
    return build_diagram(graph_of(), stack_layers(graph_of())).arrangement


def _drawn(document: Document, arrangement: Arrangement | None = None) -> Diagram:
    return build_diagram(graph_of(document), arrangement or _arrangement())


@pytest.mark.parametrize("is_target", [True, False])
def test_a_new_table_is_beside_a_linked_one(is_target: bool) -> None:
    """It is left of its targets, and right of tables that link to it; all others stay."""
    loan = AddTable("loan")
    ends = (WORK, loan.key) if is_target else (loan.key, WORK)
    document = apply(apply(opened(), loan), AddColumn(ends[0], "loan", "link", target=ends[1]))
    diagram = _drawn(document)
    new, work = diagram.by_table[loan.key], diagram.by_table[WORK]
    assert (new.x > work.right) if is_target else (new.right < work.x)
    assert abs(new.y - work.y) < 2 * work.height
    assert overlapping(diagram.boxes) == []
    assert {
        key: diagram.arrangement.positions[key] for key in _arrangement().positions
    } == _arrangement().positions


def test_a_new_table_without_links_is_below_all() -> None:
    """It does not overlap any other."""
    loan = AddTable("loan")
    diagram = _drawn(apply(opened(), loan))
    others = [box.bottom for box in diagram.boxes if box.table != loan.key]
    assert diagram.by_table[loan.key].y > max(others)


def test_many_new_tables_are_stacked_below_the_others() -> None:
    """An imported group is placed below the others, in its own layers."""
    raw = museum()
    raw["tables"] += [table(n, f"list_{n}", column(n * 10, "name")) for n in range(20, 40)]
    diagram = _drawn(read_document(raw))
    assert overlapping(diagram.boxes) == []
    assert min(diagram.by_table[n].y for n in range(20, 40)) > diagram.by_table[WORK].bottom


def test_an_edit_of_a_table_moves_nothing() -> None:
    """It only changes its size, and its links still end at its rows."""
    document = apply(opened(), AddColumn(WORK, "height", "number", 0))
    diagram = _drawn(document)
    assert diagram.arrangement.positions == _arrangement().positions
    for link in diagram.links:
        source, target = diagram.by_table[link.edge.source], diagram.by_table[link.edge.target]
        assert link.path[0][1] == source.y + link.edge.source_y
        assert abs(link.path[-1][1] - target.y - link.edge.target_y) <= HALF_HEAD


def test_a_table_restored_by_undo_keeps_its_position() -> None:
    """The position of a removed table is stored."""
    without = _drawn(apply(opened(), remove_table(PICTURE)))
    assert PICTURE not in without.by_table
    again = _drawn(opened(), without.arrangement)
    assert again.arrangement == _arrangement()


def test_a_removed_table_is_a_ghost_at_its_position() -> None:
    """It keeps its size, and new tables are not placed there."""
    loan = AddTable("loan")
    without = apply(apply(opened(), remove_table(PICTURE)), loan)
    diagram = build_diagram(graph_of(without, opened()), _arrangement())
    (ghost,) = diagram.ghosts
    before = _drawn(opened()).by_table[PICTURE]
    assert (ghost.table, ghost.name) == (PICTURE, before.name)
    assert (ghost.x, ghost.y, ghost.width, ghost.height) == (before.x, before.y, before.width, before.height)
    assert overlapping((*diagram.boxes, ghost)) == []
    assert diagram.bounds[2] >= ghost.right


def test_a_ghost_is_moved_away_from_a_box() -> None:
    """It moves to the nearest free position; all others stay."""
    without = graph_of(apply(opened(), remove_table(PICTURE)), opened())
    arrangement = _arrangement().moved({WORK: _arrangement().positions[PICTURE]})
    diagram = build_diagram(without, without_blocked_ghosts(without, arrangement))
    assert overlapping((*diagram.boxes, *diagram.ghosts)) == []
    assert diagram.arrangement.positions[WORK] == arrangement.positions[WORK]
    assert without_blocked_ghosts(without, diagram.arrangement) == diagram.arrangement


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


def test_a_table_is_left_of_those_that_it_links_to() -> None:
    """Layers are counted from the right."""
    layers = assign_layers(graph_of())
    assert layers[PICTURE] > layers[WORK] > max(layers[PERSON], layers[PLACE])


def test_cycles_of_links_have_layers_too() -> None:
    """One of the links is reversed; a table that links to itself is not a cycle."""
    document = apply(opened(), AddColumn(PERSON, "portrait", "link", target=PICTURE))
    document = apply(document, AddColumn(PLACE, "near", "link", target=PLACE))
    layers = assign_layers(graph_of(document))
    links = {(edge.source, edge.target) for edge in graph_of(document).edges}
    backwards = [link for link in links if link[0] != link[1] and layers[link[0]] <= layers[link[1]]]
    assert set(layers) == {PERSON, PLACE, WORK, PICTURE}
    assert len(backwards) == 1


def test_without_graphviz_tables_are_in_columns() -> None:
    """Nothing overlaps, and tables without links fill the remaining space."""
    raw = museum()
    raw["tables"] += [table(n, f"list_{n}", column(n * 10, "name")) for n in range(20, 40)]
    graph = graph_of(read_document(raw))
    diagram = build_diagram(graph, stack_layers(graph))
    assert overlapping(diagram.boxes) == []
    assert len({box.x for box in diagram.boxes}) > 2
