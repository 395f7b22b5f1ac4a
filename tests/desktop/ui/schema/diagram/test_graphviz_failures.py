"""Tests of the diagram where the system's Graphviz crashes, hangs or is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.schema.diagram import graphviz_process
from tests.desktop.patience import until
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import EVERY

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
        monkeypatch.setattr(graphviz_process, "TIME_LIMIT", 2.0)
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
