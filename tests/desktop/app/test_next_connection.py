"""Tests of a second connection in the same run: of the one before nothing is left that hears anything."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from cdb_desktop.app.ending import report_slots
from cdb_desktop.app.options import Options
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.patience import until
from tests.server import serving

ELSEWHERE = {"quit", "connect", "demo", "disconnect", "sign_in"}  # they end the connection
PAGES = ("events", "schema", "errors", "settings")


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Exception]]:
    """What slots and callbacks raise; circles are left alone, so that nobody is saved by a collection."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    was_enabled = gc.isenabled()
    gc.disable()
    yield []
    if was_enabled:
        gc.enable()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """The base URL of a server that may be changed: every action means those that save as well."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", "2000") as url:
        yield url


async def test_actions_reach_the_connection_of_now_alone(
    take_seat: Take, own_server: str, reported: list[Exception]
) -> None:
    """Every action that is enabled, on every page of the second connection."""
    async with take_seat() as seat:
        report_slots(reported.append)
        await _open_twice(seat, own_server)
        for page in PAGES:
            seat.window.actions_by_name[page].setChecked(True)
            await _settled(seat)
            for name in seat.window.actions_by_name:
                await _trigger(seat, name, page)
            assert reported == []


async def test_the_panes_of_the_connection_before_are_gone_at_once(
    take_seat: Take, reference_server: str, reported: list[Exception]
) -> None:
    """Pages, feed, its title and the sheet for signing in again; also what held them together."""
    async with take_seat() as seat:
        report_slots(reported.append)
        await _open(seat, reference_server)
        before, sheet = seat.opened[0], seat.sign_in
        left = (before, *before.pages.values(), before.feed, before.feed_title, sheet)
        seat.window.actions_by_name["disconnect"].trigger()
        await until(seat.window.start.choices.isVisible)
        await until(lambda: not seat.window.actions_by_name.is_connected)
        await asyncio.sleep(0.05)
        assert [one for one in left if isValid(one)] == []
        assert reported == []


async def test_work_that_comes_too_late_is_not_begun(
    take_seat: Take, reference_server: str, reported: list[Exception]
) -> None:
    """What the connection of before is asked for has no client any more, and no pane to fail in."""
    async with take_seat() as seat:
        report_slots(reported.append)
        await _open(seat, reference_server)
        tasks, begun = seat.opened[0]._tasks, []
        await _open(seat, reference_server)

        async def late() -> None:
            begun.append(1)

        tasks.start("late", late(), on_error=reported.append)
        await asyncio.sleep(0.05)
        assert (begun, reported, tasks.is_running("late")) == ([], [], False)


async def _open_twice(seat: Seat, url: str) -> None:
    await _open(seat, url)
    seat.window.actions_by_name["schema"].setChecked(True)
    await _settled(seat)
    await _open(seat, url)


async def _open(seat: Seat, url: str) -> None:
    before = len(seat.opened)
    seat.door.begin(Options(server=url, login="root", password="admin"))
    await until(lambda: len(seat.opened) > before)
    await _settled(seat)


async def _settled(seat: Seat) -> None:
    """The rows are there, and on the page of the schema the schema is."""
    workspace = seat.opened[-1]
    await until(lambda: workspace.events_view.model.rowCount() > 0)
    if seat.window.actions_by_name["schema"].isChecked():
        await until(lambda: workspace.schema.view.header.version.count() > 0)


async def _trigger(seat: Seat, name: str, page: str) -> None:
    action: QAction = seat.window.actions_by_name[name]
    if name in ELSEWHERE or name in PAGES or not action.isEnabled():
        return
    action.trigger()
    await asyncio.sleep(0.01)
    for _ in range(3):
        shown = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if shown is None:
            break
        shown.close()
        await asyncio.sleep(0.01)
    seat.window.actions_by_name[page].setChecked(True)
