"""Tests of layouts by the system's ``dot`` and by the one in pygraphviz, both as child processes."""

import asyncio
import shutil
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from cdb_desktop.schema.diagram import graphviz_layout
from cdb_desktop.schema.diagram.graphviz_layout import (
    Graphviz,
    GraphvizError,
    build_diagram,
    compact,
    compute_arrangement,
    find_graphviz,
    layout_source,
    parse_layout,
)
from cdb_desktop.schema.diagram.model import Arrangement, Diagram, SchemaGraph
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import crossed, graph_of, large_model, overlapping
from tests.desktop.schema.models import PERSON, PICTURE, WORK

_DOT = shutil.which("dot")
_ENGINES = [
    pytest.param("dot", id="dot", marks=pytest.mark.skipif(_DOT is None, reason="no dot is installed")),
    pytest.param("helper", id="helper"),
]


@pytest.fixture(params=_ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Graphviz:
    """The system's Graphviz, and the one in pygraphviz."""
    if request.param == "helper":
        monkeypatch.setenv("PATH", "")
    return find_graphviz()


async def test_boxes_keep_their_sizes_and_do_not_overlap(engine: Graphviz) -> None:
    """A table is left of those that it links to."""
    diagram = build_diagram(graph_of(), await compute_arrangement(graph_of(), engine))
    assert overlapping(diagram.boxes) == []
    assert [(box.width, box.height) for box in diagram.boxes] == [
        (box.width, box.height) for box in graph_of().boxes
    ]
    picture, work, person = (diagram.by_table[key] for key in (PICTURE, WORK, PERSON))
    assert picture.right < work.x
    assert work.right < person.x


async def test_large_models_have_the_aspect_ratio_of_a_screen(engine: Graphviz) -> None:
    """Nothing overlaps, and no link crosses a box."""
    graph = graph_of(read_document(large_model(150)))
    diagram = build_diagram(graph, await compute_arrangement(graph, engine))
    left, top, right, bottom = diagram.bounds
    assert 0.4 < (right - left) / (bottom - top) < 4
    assert overlapping(diagram.boxes) == []
    assert [link for link in diagram.links if crossed(link, diagram.boxes)] == []


async def test_an_empty_model_needs_no_graphviz() -> None:
    """The layout is empty, and no process is started."""
    assert (
        await compute_arrangement(graph_of(read_document({"tables": []})), Graphviz(("/no/such/program",)))
        == Arrangement()
    )


async def test_a_cancelled_task_kills_its_child_process(tmp_path: Path) -> None:
    """A new edit does not wait for the layout of an older one."""
    mark = tmp_path / "alive"
    program = f"import time, pathlib; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)"
    task = asyncio.create_task(Graphviz((sys.executable, "-c", program)).run((), ""))
    await until(mark.exists)
    task.cancel()
    await asyncio.wait({task}, timeout=30)
    assert task.cancelled()


async def test_the_child_process_is_killed_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is the time."""
    monkeypatch.setattr(graphviz_layout, "TIME_LIMIT", 0.3)
    with pytest.raises(GraphvizError, match="took more than"):
        await Graphviz((sys.executable, "-c", "import time; time.sleep(60)")).run((), "")


async def test_the_error_of_graphviz_is_the_reason(engine: Graphviz) -> None:
    """It is the last error, not the whole output."""
    with pytest.raises(GraphvizError, match="Graphviz failed: "):
        await engine.run(("-Tplain",), "digraph {")


async def test_a_missing_program_is_a_reason_too() -> None:
    """The setting may name a file that no longer exists."""
    with pytest.raises(GraphvizError, match="could not be started"):
        await find_graphviz("/no/such/dot").run((), "")


async def test_the_layout_of_a_graph_is_deterministic(engine: Graphviz) -> None:
    """Stored layouts of a model can be compared."""
    first, second = [await compute_arrangement(graph_of(), engine) for _ in range(2)]
    assert first == second
    assert isinstance(build_diagram(graph_of(), first), Diagram)


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
