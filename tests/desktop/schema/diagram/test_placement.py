"""Tests of placing new boxes near their neighbors; all others stay."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.model import Arrangement, Diagram
from cdb_desktop.schema.diagram.placement import stack_layers, without_blocked_ghosts
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, AddLink
from cdb_desktop.schema.edits.tables import AddTable, RemoveTable
from tests.desktop.schema.diagram.graphs import HALF_HEAD, graph_of, overlapping
from tests.desktop.schema.models import PICTURE, WORK, apply, column, museum, opened, table


def _arrangement() -> Arrangement:
    return build_diagram(graph_of(), stack_layers(graph_of())).arrangement


def _drawn(document: Document, arrangement: Arrangement | None = None) -> Diagram:
    return build_diagram(graph_of(document), arrangement or _arrangement())


@pytest.mark.parametrize("is_target", [True, False])
def test_a_new_table_is_beside_a_linked_one(is_target: bool) -> None:
    """It is left of its targets, and right of tables that link to it; all others stay."""
    loan = AddTable("loan")
    ends = (WORK, loan.key) if is_target else (loan.key, WORK)
    document = apply(apply(opened(), loan), AddLink(ends[0], "loan", ends[1]))
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
    without = _drawn(apply(opened(), RemoveTable(PICTURE)))
    assert PICTURE not in without.by_table
    again = _drawn(opened(), without.arrangement)
    assert again.arrangement == _arrangement()


def test_a_removed_table_is_a_ghost_at_its_position() -> None:
    """It keeps its size, and new tables are not placed there."""
    loan = AddTable("loan")
    without = apply(apply(opened(), RemoveTable(PICTURE)), loan)
    diagram = build_diagram(graph_of(without, opened()), _arrangement())
    (ghost,) = diagram.ghosts
    before = _drawn(opened()).by_table[PICTURE]
    assert (ghost.table, ghost.name) == (PICTURE, before.name)
    assert (ghost.x, ghost.y, ghost.width, ghost.height) == (before.x, before.y, before.width, before.height)
    assert overlapping((*diagram.boxes, ghost)) == []
    assert diagram.bounds[2] >= ghost.right


def test_a_ghost_is_moved_away_from_a_box() -> None:
    """It moves to the nearest free position; all others stay."""
    without = graph_of(apply(opened(), RemoveTable(PICTURE)), opened())
    arrangement = _arrangement().moved({WORK: _arrangement().positions[PICTURE]})
    diagram = build_diagram(without, without_blocked_ghosts(without, arrangement))
    assert overlapping((*diagram.boxes, *diagram.ghosts)) == []
    assert diagram.arrangement.positions[WORK] == arrangement.positions[WORK]
    assert without_blocked_ghosts(without, diagram.arrangement) == diagram.arrangement


def test_an_empty_model_has_an_empty_diagram() -> None:
    """Nothing is drawn."""
    diagram = _drawn(read_document({"tables": []}), Arrangement())
    assert (diagram.boxes, diagram.links, diagram.bounds) == ((), (), (0.0, 0.0, 0.0, 0.0))
