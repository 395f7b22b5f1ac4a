"""Tests of arranging: what the user does meanwhile, and a Graphviz that crashes, hangs or is missing."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram import graphviz_layout
from cdb_desktop.schema.diagram.groups import made_groups
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import large_model
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK, opened
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import EVERY, shown_tables

_CRASHES, _HANGS = "#!/bin/sh\nkill -SEGV $$\n", "#!/bin/sh\nsleep 60\nexit 0\n"
_PRINTS_RUBBISH = "#!/bin/sh\necho 'graph 1 <\n\nnode 0 0 0'\n"


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (_CRASHES, "failed"),
        (_PRINTS_RUBBISH, "something else than a layout"),
        pytest.param(_HANGS, "took more than", marks=pytest.mark.long),
    ],
)
async def test_the_programs_own_graphviz_takes_over(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, reason: str
) -> None:
    """The diagram is arranged all the same, and a notice says why; the failing one is not tried again."""
    dot = tmp_path / "dot"
    dot.write_text(program)
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    if program == _HANGS:
        monkeypatch.setattr(graphviz_layout, "TIME_LIMIT", 2.0)
    async with bench.with_museum():
        await until(bench.view.notice.isVisible)
        assert bench.view.notice.text.startswith("Graphviz ")
        assert reason in bench.view.notice.text
        assert bench.view.notice.text.endswith("The program's own Graphviz is used from now on.")
        assert len(bench.view.diagram.diagram_scene.tables) > 2
        bench.view.notice.hide()
        before = bench.view.diagram.diagram_scene.diagram.arrangement
        scene = bench.view.diagram.diagram_scene
        bench.actions["schema_arrange"].trigger()
        await until(lambda: scene.diagram.arrangement is not before)
        assert not bench.view.notice.isVisible()


async def test_without_graphviz_of_the_system_nothing_is_said(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program's own Graphviz arranges the diagram."""
    monkeypatch.setenv("PATH", str(tmp_path))
    async with bench.with_museum():
        scene = bench.view.diagram.diagram_scene
        before = scene.diagram.arrangement
        assert len(set(before.positions.values())) == len(EVERY)
        bench.actions["schema_arrange"].trigger()
        await until(lambda: scene.diagram.arrangement is not before)
        assert not bench.view.notice.isVisible()


async def test_groups_that_are_made_during_the_first_arrangement_stay(bench: Bench) -> None:
    """Groups that the links suggest are for models without any."""
    async with bench.with_museum() as controller:
        document, layout = read_document(large_model(100)), controller._editor.layout
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        await asyncio.sleep(0)
        own = made_groups([("Mine", (1, 2, 3))])
        layout.show_arrangement(replace(layout.arrangement, groups=own), message("Group"))
        await until(lambda: not controller._tasks.is_running("schema.arrange"))
        assert [group.name for group in layout.arrangement.groups.all] == ["Mine"]
        assert len(layout.arrangement.positions) >= 100


async def test_room_for_all_versions(bench: Bench) -> None:
    """Also for tables that are not shown yet; what is moved meanwhile stays where it was put."""
    async with bench.with_museum() as controller:
        layout, whole = controller._editor.layout, _larger()
        before = dict(layout.arrangement.positions)
        _compare(bench, controller)
        making = asyncio.ensure_future(layout.make_room(whole))
        await asyncio.sleep(0)
        layout.move_boxes({PERSON: (9_000.0, 9_000.0)}, message("Move"))
        await making
        assert layout.arrangement.positions.keys() == {
            table.key for table in whole.tables if table.owner is None
        }
        assert layout.arrangement.positions[PERSON] == (9_000.0, 9_000.0)
        bench.actions["schema_changes"].trigger()
        assert layout.arrangement.positions == before


async def test_room_that_is_no_longer_needed(bench: Bench) -> None:
    """Nothing moves once the comparison is closed, or something else is shown."""
    async with bench.with_museum() as controller:
        layout, before = controller._editor.layout, dict(controller._editor.layout.arrangement.positions)
        _compare(bench, controller)
        making = asyncio.ensure_future(layout.make_room(_larger()))
        await asyncio.sleep(0)
        bench.actions["schema_changes"].trigger()
        await making
        assert layout.arrangement.positions == before
        bench.actions["schema_undo"].trigger()
        _compare(bench, controller)
        making = asyncio.ensure_future(layout.make_room(_larger()))
        await asyncio.sleep(0)
        await _focus(bench, controller, layout)
        await making
        assert layout.arrangement.positions.keys() == {PERSON, WORK}
        bench.actions["schema_changes"].trigger()


async def test_room_in_a_part(bench: Bench) -> None:
    """Only for the tables that it shows."""
    async with bench.with_museum() as controller:
        layout = controller._editor.layout
        await _focus(bench, controller, layout)
        _compare(bench, controller)
        await layout.make_room(_larger())
        assert layout.arrangement.positions.keys() == {PERSON, WORK}
        bench.actions["scope_back"].trigger()
        assert shown_tables(bench.view) == EVERY == {PERSON, WORK, PLACE, PICTURE}
        bench.actions["schema_changes"].trigger()


def _compare(bench: Bench, controller: SchemaController) -> None:
    """Begins a comparison of HEAD with CURRENT, which differ."""
    controller.store.apply(AddColumn(PLACE, "new", "text"))
    bench.actions["schema_changes"].trigger()
    assert controller.store.page.compared is not None


async def _focus(bench: Bench, controller: SchemaController, layout: DiagramLayoutController) -> None:
    controller.store.select(TableRef(PERSON))
    bench.actions["scope_focus"].trigger()
    await until(lambda: shown_tables(bench.view) == {PERSON, WORK} and len(layout.arrangement.positions) == 2)


def _larger() -> Document:
    """The museum with a table that links to nothing, and one of which the box is much higher."""
    document = AddTable("former").apply_to(opened())
    for number in range(30):
        document = AddColumn(PERSON, f"former_{number}", "text").apply_to(document)
    return document
