"""Tests of arranging groups with Graphviz and without."""

import sys
from random import Random

import pytest

from cdb_desktop.schema.diagram.graph_builder import reduced_graph
from cdb_desktop.schema.diagram.graphviz_layout import Graphviz, build_diagram, find_graphviz
from cdb_desktop.schema.diagram.group_layout import (
    arrange_groups,
    arrange_part,
    collapse,
    stack_groups,
)
from cdb_desktop.schema.diagram.grouping import groups_by_links
from cdb_desktop.schema.diagram.groups import made_groups
from cdb_desktop.schema.diagram.model import Arrangement, SchemaGraph
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


@pytest.mark.parametrize("seed", range(6))
async def test_an_arranged_part_covers_nothing(seed: int) -> None:
    """Whether groups are selected in part or as a whole; tables in none and what is far away may be too."""
    random = Random(seed)
    graph = graph_of(read_document(large_model(60)))
    found = groups_by_links(graph)
    groups = found.without(random.sample(sorted(found.by_table), 6))
    start = Arrangement((await arrange_groups(graph, groups, find_graphviz())).positions, groups)
    assert _overlapping_units(start, graph) == []
    tables = frozenset(random.sample([box.table for box in graph.boxes], random.choice((5, 15, 40))))
    if seed % 3 == 0:
        tables = frozenset().union(*(group.tables for group in groups.all[:3]))
    after = await arrange_part(graph, start, tables, find_graphviz(), downwards=seed % 2 == 1)
    assert after != start
    assert after.groups == groups
    assert _overlapping_units(after, graph) == []


async def test_arranging_a_part_moves_little_else() -> None:
    """Groups that are in nobody's way stay; one that is moves with all its tables, also collapsed ones."""
    graph = graph_of(read_document(large_model(60)))
    groups = groups_by_links(graph)
    start = Arrangement((await arrange_groups(graph, groups, find_graphviz())).positions, groups)
    inside, *others = groups
    few = frozenset(sorted(inside.tables)[:4])
    after = await arrange_part(graph, start, few, find_graphviz())
    for group in others:
        moved = {
            (round(after.positions[key][0] - at[0], 3), round(after.positions[key][1] - at[1], 3))
            for key, at in start.positions.items()
            if key in group.tables
        }
        assert len(moved) == 1
    collapsed = collapse(start, (others[0].key,), graph)
    reduced = reduced_graph(graph, collapsed, measure)
    chosen = few | {others[0].box, min(others[1].tables)}
    after = await arrange_part(reduced, collapsed, chosen, find_graphviz())
    assert _overlapping_units(after, reduced) == []


def _overlapping_units(arrangement: Arrangement, graph: SchemaGraph) -> list[tuple[str, str]]:
    """Overlapping boxes, regions, and boxes with regions of groups that they are not in."""
    boxes = tuple(box.at(arrangement.positions[box.table]) for box in graph.boxes)
    loose = tuple(box for box in boxes if box.table not in arrangement.groups.by_table)
    return [*overlapping(boxes), *overlapping((*region_boxes(arrangement, graph), *loose))]
