"""Tests of tables that show only keys, links and changes."""

from __future__ import annotations

from cdb_desktop.schema.diagram.graph_builder import (
    can_fold,
    hidden_columns,
    is_hidden_columns,
    reduced_graph,
)
from cdb_desktop.schema.diagram.model import Arrangement, Box, BoxRow, SchemaGraph
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.files.model_files import read_file
from tests.desktop.schema.diagram.graphs import graph_of, large_model, measure
from tests.desktop.schema.models import MODEL_FILES, column, table, unique


def _folded(graph: SchemaGraph, *changed: ElementRef) -> SchemaGraph:
    every = frozenset(box.table for box in graph.boxes)
    return reduced_graph(graph, Arrangement(folded=every), measure, changed)


def _rows(box: Box) -> list[ElementRef]:
    return [*(row.ref for row in box.rows), *(ref for inner in box.nested for ref in _rows(inner))]


def test_only_keys_links_and_changes_are_shown() -> None:
    """One row says how many columns are hidden."""
    graph = graph_of(read_document(large_model(15)))
    changed = ColumnRef(12, 121)
    folded = _folded(graph, changed)
    for before, after in zip(graph.boxes, folded.boxes, strict=True):
        shown = [row for row in after.rows if not is_hidden_columns(row.ref)]
        assert all(row.type.startswith("→") or row.ref == changed for row in shown)
        hidden = next(row for row in after.rows if is_hidden_columns(row.ref))
        assert hidden.ref == hidden_columns(after.table)
        assert hidden.name == f"{len(before.rows) - len(shown)} more columns"
        assert after.height < before.height
        assert after.width == before.width
    assert changed in _rows(folded.boxes[11])


def test_links_end_at_the_rows_that_are_left() -> None:
    """In tables with others nested in them as well, of all test models."""
    graphs = [graph_of(read_file(path).model.document) for path in MODEL_FILES] + [graph_of()]
    for graph in graphs:
        folded = _folded(graph)
        boxes = {box.table: box for box in folded.boxes}
        assert len(folded.edges) == len(graph.edges)
        for edge in folded.edges:
            middles = _middles(boxes[edge.source])
            assert abs(middles[edge.ref] - edge.source_y) < 0.01
        for box in folded.boxes:
            _check(box, 0.0)


def test_unchanged_graphs_stay_the_same_objects() -> None:
    """Without groups and folded tables nothing is computed."""
    graph = graph_of()
    assert reduced_graph(graph, Arrangement(), measure) is graph


def test_a_single_hidden_column_is_shown() -> None:
    """A row that says that there is one more would take the same space; none is hidden from unique keys."""
    keys = [unique("three", a=3, b=4)]
    tables = [
        table(1, "one", column(1, "a")),
        table(2, "two", column(2, "a"), column(5, "b")),
        table(3, "three", column(3, "a"), column(4, "b"), unique_keys=keys),
    ]
    graph = graph_of(read_document({"version": 1, "tables": tables}))
    assert [can_fold(box) for box in graph.boxes] == [False, True, False]
    assert [_rows(box) for box in _folded(graph).boxes] == [
        [ColumnRef(1, 1)],
        [hidden_columns(2)],
        [ColumnRef(3, 3), ColumnRef(3, 4)],
    ]


def _middles(box: Box) -> dict[ElementRef, float]:
    found: dict[ElementRef, float] = {row.ref: row.y + row.height / 2 for row in box.rows}
    for inner in box.nested:
        found |= _middles(inner)
    return found


def _check(box: Box, top: float) -> None:
    """Rows and nested boxes lie one below the other inside of the box."""
    below = top + box.head_height
    members: list[BoxRow | Box] = [*box.rows, *box.nested]
    for member in sorted(members, key=lambda each: each.y):
        assert member.y >= below - 0.01
        below = member.y + member.height
        if isinstance(member, Box):
            _check(member, member.y)
    assert below <= top + box.height + 0.01
