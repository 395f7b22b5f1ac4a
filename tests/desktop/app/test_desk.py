"""Tests of the window's connection in one process with a real server, from its start to its end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from shiboken6 import isValid

from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.options import Options
from cdb_desktop.client import CsvOptions
from cdb_desktop.embedded import open_demo_folder
from cdb_desktop.ui.events.exporting import Exporting
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.patience import until


async def test_rows_load_again_after_the_server_was_killed(take_seat: Take) -> None:
    """The server comes back at its address, and the table goes on where it was."""
    async with take_seat() as seat:
        server = demo_server(seat.setting.demo)
        seat.door.open_demo(server)
        await until(lambda: seat.opened)
        table = seat.opened[0].events_view.table
        await until(lambda: table.model().rowCount() > 10_000)
        os.kill(server.pid, signal.SIGKILL)
        table.scrollToBottom()
        await until(seat.window.notice.isVisible)
        await until(lambda: not seat.window.notice.isVisible())
        await until(lambda: table.model().index(table.visible_rows()[0], 0).data())
        assert table.visible_rows()[0] > 10_000


async def test_a_second_window_on_the_demo_works_on_a_copy_and_says_so(take_seat: Take) -> None:
    """Nobody's data is touched twice."""
    async with take_seat() as seat:
        with open_demo_folder(seat.setting.demo):
            seat.door.open_demo()
            await until(lambda: seat.opened)
        assert seat.window.notice.isVisible()
        assert "copy" in seat.window.notice.title


async def test_the_next_connection_takes_the_place_of_the_one_before(
    take_seat: Take, reference_server: str
) -> None:
    """Which stays until somebody is signed in at the next one."""
    async with take_seat() as seat:
        await _open(seat, reference_server, "root", "admin")
        seat.door.begin(Options(server=reference_server, login="viewer", password="wrong"))
        await until(lambda: seat.failed)
        assert seat.desk.is_taken
        assert seat.window.status.who.endswith("· Root")
        await _open(seat, reference_server, "viewer", "viewer")
        assert seat.window.status.who.endswith("(Viewer)")


async def test_leaving_signs_out_and_shows_the_choices(take_seat: Take, reference_server: str) -> None:
    """The session ends at the service, and the connection is offered again."""
    async with take_seat() as seat:
        await _open(seat, reference_server, "root", "admin")
        client = seat.client
        seat.window.actions_by_name["disconnect"].trigger()
        await until(lambda: client.session is not None and not client.session.authenticated)
        assert seat.window.start.choices.isVisible()
        assert [one.login for one in seat.setting.memory.known.entries] == ["root"]
        assert not seat.window.actions_by_name["disconnect"].isEnabled()


async def test_work_that_is_given_up_finds_its_pane(
    take_seat: Take, reference_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that tells of its end when the connection goes has somebody to tell it to."""
    async with take_seat() as seat:
        await _open(seat, reference_server, "root", "admin")
        view = seat.opened[0].events_view
        await until(lambda: view.model.rowCount() >= 2000)
        exporting = view.findChild(Exporting)
        assert isinstance(exporting, Exporting)
        told: list[tuple[str, bool]] = []
        monkeypatch.setattr(
            view.notice, "show_passing", lambda say: told.append((say().title, isValid(view.notice)))
        )
        exporting.begin(tmp_path / "events.csv", CsvOptions())
        seat.window.actions_by_name["disconnect"].trigger()
        await until(seat.window.start.choices.isVisible)
        await until(lambda: told == [("Export cancelled", True)])
        assert not (tmp_path / "events.csv.part").exists()


async def _open(seat: Seat, url: str, login: str, password: str) -> None:
    before = len(seat.opened)
    seat.door.begin(Options(server=url, login=login, password=password))
    await until(lambda: len(seat.opened) > before)
