"""Tests of compaction: boxes of a layer are near each other, in the same order, and links are short."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest

from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compact, layout_source, parse_layout
from cdb_desktop.schema.diagram.graphviz_process import find_graphviz
from cdb_desktop.schema.diagram.model import Arrangement, Diagram, SchemaGraph
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.schema.diagram.graphs import crossed, graph_of, large_model, overlapping

SPACE = 28.0


@pytest.mark.parametrize("tables", [60, 150])
async def test_a_window_shows_compact_diagrams_larger(tables: int) -> None:
    """At fit by a third at least; nothing overlaps, no link crosses a box, and all together are shorter."""
    graph = graph_of(read_document(large_model(tables)))
    before, after = await _both(graph)
    assert _zoom_at_fit(after) > 1.33 * _zoom_at_fit(before)
    assert _length(after) < _length(before)
    assert overlapping(after.boxes) == []
    assert [link.edge.ref for link in after.links if crossed(link, after.boxes)] == []


async def test_layers_keep_their_boxes_and_their_order() -> None:
    """Left sides are aligned, and boxes of a layer have the space between them at least."""
    graph = graph_of(read_document(large_model(40)))
    before, after = await _both(graph)
    layers: dict[float, list[int]] = defaultdict(list)
    for box in sorted(before.boxes, key=lambda box: box.y):
        layers[round(box.x + box.width / 2, 1)].append(box.table)
    assert len(layers) > 3
    for tables in layers.values():
        boxes = [after.by_table[table] for table in tables]
        assert len({box.x for box in boxes}) == 1
        for upper, lower in pairwise(boxes):
            assert lower.y - upper.bottom >= SPACE - 0.01


def test_boxes_of_one_layer_stay() -> None:
    """There is no layer beside it that could be higher."""
    graph = SchemaGraph(graph_of().boxes[:1], ())
    arrangement = Arrangement({graph.boxes[0].table: (40.0, 70.0)})
    assert compact(graph, arrangement, SPACE) == arrangement


async def _both(graph: SchemaGraph) -> tuple[Diagram, Diagram]:
    """As Graphviz arranges it, and compact."""
    plain = await find_graphviz().run(("-Tplain-ext",), layout_source(graph))
    arrangement = parse_layout(plain.decode(), graph)
    return build_diagram(graph, arrangement), build_diagram(graph, compact(graph, arrangement, SPACE))


def _zoom_at_fit(diagram: Diagram) -> float:
    left, top, right, bottom = diagram.bounds
    return min(757 / (right - left), 600 / (bottom - top))


def _length(diagram: Diagram) -> float:
    return sum(
        abs(x - far) + abs(y - low) for link in diagram.links for (x, y), (far, low) in pairwise(link.path)
    )
