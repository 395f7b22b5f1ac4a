"""Tests of layers: linked tables are to the right, and the shape fits a screen."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.placement import assign_layers, stack_layers
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddLink
from tests.desktop.schema.diagram.graphs import graph_of, large_model, overlapping
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK, apply, column, museum, opened, table


def test_a_table_is_left_of_those_that_it_links_to() -> None:
    """Layers are counted from the right."""
    layers = assign_layers(graph_of())
    assert layers[PICTURE] > layers[WORK] > max(layers[PERSON], layers[PLACE])


def test_cycles_of_links_have_layers_too() -> None:
    """One of the links is reversed; a table that links to itself is not a cycle."""
    document = apply(opened(), AddLink(PERSON, "portrait", PICTURE))
    document = apply(document, AddLink(PLACE, "near", PLACE))
    layers = assign_layers(graph_of(document))
    links = {(edge.source, edge.target) for edge in graph_of(document).edges}
    backwards = [link for link in links if link[0] != link[1] and layers[link[0]] <= layers[link[1]]]
    assert set(layers) == {PERSON, PLACE, WORK, PICTURE}
    assert len(backwards) == 1


@pytest.mark.parametrize("tables", [30, 150])
def test_the_diagram_has_the_aspect_ratio_of_a_screen(tables: int) -> None:
    """Tables that link to the same lists are not in one long column."""
    graph = graph_of(read_document(large_model(tables)))
    left, top, right, bottom = build_diagram(graph, stack_layers(graph)).bounds
    assert 0.6 < (right - left) / (bottom - top) < 4


def test_without_graphviz_tables_are_in_columns() -> None:
    """Nothing overlaps, and tables without links fill the remaining space."""
    raw = museum()
    raw["tables"] += [table(n, f"list_{n}", column(n * 10, "name")) for n in range(20, 40)]
    graph = graph_of(read_document(raw))
    diagram = build_diagram(graph, stack_layers(graph))
    assert overlapping(diagram.boxes) == []
    assert len({box.x for box in diagram.boxes}) > 2
