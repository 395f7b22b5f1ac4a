"""Arranging with Graphviz: the real ``dot`` and the one inside pygraphviz, both as child processes."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from cdb_desktop.schema.diagram import Arrangement, Diagram
from cdb_desktop.schema.diagram_drawing import arranged, draw
from cdb_desktop.schema.diagram_engine import Engine, EngineError, find_engine
from cdb_desktop.schema.places import ColumnPlace
from cdb_desktop.schema.reading import read
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PICTURE, PICTURE_WORK, REAL_FILES, WORK, real
from tests.desktop.schema.sheets import overlapping, sheet, wide

_DOT = shutil.which("dot")
_ENGINES = [
    pytest.param("dot", id="dot", marks=pytest.mark.skipif(_DOT is None, reason="no dot is installed")),
    pytest.param("helper", id="helper"),
]


@pytest.fixture(params=_ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The system's Graphviz and the one that stands in for it."""
    if request.param == "helper":
        monkeypatch.setenv("PATH", "")
    return find_engine()


async def test_boxes_keep_their_sizes_and_do_not_overlap(engine: Engine) -> None:
    """A table stands left of those that it links to."""
    diagram = draw(sheet(), await arranged(sheet(), engine))
    assert overlapping(diagram.boxes) == []
    assert [(box.width, box.height) for box in diagram.boxes] == [
        (box.width, box.height) for box in sheet().boxes
    ]
    picture, work, person = (diagram.by_table[key] for key in (PICTURE, WORK, PERSON))
    assert picture.right < work.x
    assert work.right < person.x


async def test_links_are_routed_from_their_rows_to_heads(engine: Engine) -> None:
    """Every link of a small model has a route of Graphviz's that fits its ends."""
    diagram = draw(sheet(), await arranged(sheet(), engine))
    for link in diagram.links:
        source, target = diagram.by_table[link.wire.source], diagram.by_table[link.wire.target]
        assert link.path[0] == (source.right, source.y + link.wire.source_y)
        assert link.path[-1] == (target.x, target.y + link.wire.target_y)
        assert link.path[1:-1] == diagram.arrangement.routes[link.wire.place.column][1:-1]
    assert len(diagram.links) == 4


async def test_a_box_that_is_moved_takes_only_its_links_along(engine: Engine) -> None:
    """All other routes stay."""
    kept = await arranged(sheet(), engine)
    before, after = draw(sheet(), kept), draw(sheet(), kept.moved({PICTURE: (-500.0, -500.0)}))
    moved = [link.wire.place for link in after.links if link not in before.links]
    assert moved == [ColumnPlace(PICTURE, PICTURE_WORK)]


@pytest.mark.skipif(not REAL_FILES, reason="the real models are not at hand")
async def test_real_models_are_arranged(engine: Engine) -> None:
    """With nested tables three deep."""
    for path in REAL_FILES:
        wired = sheet(read(real(path)))
        assert overlapping(draw(wired, await arranged(wired, engine)).boxes) == []


async def test_large_models_get_the_shape_of_a_screen(engine: Engine) -> None:
    """Routes that are too long become curves, and nothing overlaps."""
    wired = sheet(read(wide(300)))
    diagram = draw(wired, await arranged(wired, engine))
    left, top, right, bottom = diagram.bounds
    assert 0.4 < (right - left) / (bottom - top) < 4
    assert overlapping(diagram.boxes) == []


async def test_an_empty_model_needs_no_graphviz() -> None:
    """There is nothing to ask it for."""
    assert await arranged(sheet(read({"tables": []})), Engine(("/no/such/program",))) == Arrangement()


async def test_a_cancelled_task_kills_its_child(tmp_path: Path) -> None:
    """A new edit does not wait for the arrangement of an old one."""
    mark = tmp_path / "alive"
    program = f"import time, pathlib; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)"
    task = asyncio.create_task(Engine((sys.executable, "-c", program)).run((), ""))
    await until(mark.exists)
    task.cancel()
    await asyncio.wait({task}, timeout=30)
    assert task.cancelled()


async def test_the_child_is_gone_when_patience_ends(tmp_path: Path) -> None:
    """The reason says how long it was waited for."""
    with pytest.raises(EngineError, match="took more than"):
        await Engine((sys.executable, "-c", "import time; time.sleep(60)")).run((), "", patience=0.3)


async def test_what_graphviz_says_is_the_reason(engine: Engine) -> None:
    """Its last complaint, not its whole output."""
    with pytest.raises(EngineError, match="Graphviz failed: "):
        await engine.run(("-Tplain",), "digraph {")


async def test_a_program_that_is_not_there_is_a_reason_as_well() -> None:
    """The setting may name a file that is gone."""
    with pytest.raises(EngineError, match="could not be started"):
        await find_engine("/no/such/dot").run((), "")


async def test_an_arrangement_is_the_same_for_the_same_sheet(engine: Engine) -> None:
    """What is kept for a model can be compared."""
    first, second = [await arranged(sheet(), engine) for _ in range(2)]
    assert first == second
    assert isinstance(draw(sheet(), first), Diagram)
