"""Tests of arranging groups with Graphviz and without."""

from __future__ import annotations

import sys

import pytest

from cdb_desktop.schema.diagram.graphviz_layout import build_diagram
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, find_graphviz
from cdb_desktop.schema.diagram.group_layout import arrange_groups, collapse, stack_groups
from cdb_desktop.schema.diagram.grouping import groups_by_links
from cdb_desktop.schema.diagram.groups import made_groups
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.diagram.reduced_graph import reduced_graph
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.diagram.graphs import (
    crossed,
    graph_of,
    large_model,
    measure,
    overlapping,
    region_boxes,
)

_HELPER = Graphviz((sys.executable, "-m", "cdb_desktop.schema.diagram.graphviz_helper"))


@pytest.mark.parametrize("engine", [find_graphviz(), _HELPER])
async def test_tables_of_a_group_are_together(engine: Graphviz) -> None:
    """Regions and boxes do not overlap, links lead around boxes, and the whole has the shape of a screen."""
    graph = graph_of(read_document(large_model(100)))
    groups = groups_by_links(graph)
    found = await arrange_groups(graph, groups, engine)
    arrangement = Arrangement(found.positions, groups)
    assert found.positions.keys() == {box.table for box in graph.boxes}
    assert overlapping(region_boxes(arrangement, graph)) == []
    diagram = build_diagram(graph, arrangement)
    assert overlapping(diagram.boxes) == []
    assert not any(crossed(link, diagram.boxes) for link in diagram.links)
    left, top, right, bottom = diagram.bounds
    assert 1.0 < (right - left) / (bottom - top) < 3.0


async def test_collapsed_groups_and_tables_in_none_are_arranged_as_well() -> None:
    """Without groups at all the tables are one cluster."""
    graph = graph_of(read_document(large_model(15)))
    groups = made_groups([("one", range(1, 6)), ("two", range(6, 10))])
    start = Arrangement(stack_groups(graph, groups).positions, groups)
    arrangement = collapse(start, (2,), graph)
    reduced = reduced_graph(graph, arrangement, measure)
    for found in (
        await arrange_groups(reduced, arrangement.groups, find_graphviz()),
        stack_groups(reduced, arrangement.groups),
    ):
        after = arrangement.moved(found.positions)
        boxes = [box.at(after.positions[box.table]) for box in reduced.boxes]
        assert (
            overlapping((*region_boxes(after, reduced), *(box for box in boxes if box.table not in range(6))))
            == []
        )
    alone = stack_groups(graph, made_groups([]))
    assert alone.positions.keys() == {box.table for box in graph.boxes}
