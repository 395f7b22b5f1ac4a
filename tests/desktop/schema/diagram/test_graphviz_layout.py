"""Tests of layouts by the system's ``dot`` and by the one in pygraphviz, both as child processes."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from cdb_desktop.schema.diagram import graphviz_process
from cdb_desktop.schema.diagram.graphviz_layout import build_diagram, compute_arrangement
from cdb_desktop.schema.diagram.graphviz_process import Graphviz, GraphvizError, find_graphviz
from cdb_desktop.schema.diagram.model import Arrangement, Diagram
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import HALF_HEAD, crossed, graph_of, large_model, overlapping
from tests.desktop.schema.models import MODEL_FILES, PERSON, PICTURE, PICTURE_WORK, WORK, real

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


async def test_links_are_routed_from_their_rows_to_heads(engine: Graphviz) -> None:
    """Every link of a small model ends at its row and head, and crosses no box."""
    diagram = build_diagram(graph_of(), await compute_arrangement(graph_of(), engine))
    for link in diagram.links:
        source, target = diagram.by_table[link.edge.source], diagram.by_table[link.edge.target]
        assert link.path[0] == (source.right, source.y + link.edge.source_y)
        assert link.path[-1][0] == target.x
        assert abs(link.path[-1][1] - target.y - link.edge.target_y) <= HALF_HEAD
        assert crossed(link, diagram.boxes) == []
    assert len(diagram.links) == 4


async def test_moving_a_box_changes_only_its_links(engine: Graphviz) -> None:
    """All other routes stay."""
    arrangement = await compute_arrangement(graph_of(), engine)
    before, after = (
        build_diagram(graph_of(), arrangement),
        build_diagram(graph_of(), arrangement.moved({PICTURE: (-500.0, -500.0)})),
    )
    moved = [link.edge.ref for link in after.links if link not in before.links]
    assert moved == [ColumnRef(PICTURE, PICTURE_WORK)]


async def test_real_models_are_arranged(engine: Graphviz) -> None:
    """The models have tables nested three deep."""
    for path in MODEL_FILES:
        graph = graph_of(read_document(real(path)))
        assert overlapping(build_diagram(graph, await compute_arrangement(graph, engine)).boxes) == []


async def test_large_models_have_the_aspect_ratio_of_a_screen(engine: Graphviz) -> None:
    """Nothing overlaps, and no link crosses a box."""
    graph = graph_of(read_document(large_model(300)))
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
    monkeypatch.setattr(graphviz_process, "TIME_LIMIT", 0.3)
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
