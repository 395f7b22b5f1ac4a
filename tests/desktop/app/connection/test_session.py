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
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.events.export.controller import ExportController
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until


async def test_rows_load_again_after_the_server_was_killed(open_app: OpenApp) -> None:
    """The server comes back at its address, and the table goes on where it was."""
    async with open_app() as app:
        server = demo_server(app.context.demo)
        app.controller.open_demo(server)
        await until(lambda: app.opened)
        table = app.opened[0].events_view.table
        await until(lambda: table.model().rowCount() > 10_000)
        os.kill(server.pid, signal.SIGKILL)
        table.scrollToBottom()
        await until(app.window.notice.isVisible)
        await until(lambda: not app.window.notice.isVisible())
        await until(lambda: table.model().index(table.visible_rows()[0], 0).data())
        assert table.visible_rows()[0] > 10_000


async def test_a_second_window_on_the_demo_works_on_a_copy_and_says_so(open_app: OpenApp) -> None:
    """Nobody's data is touched twice."""
    async with open_app() as app:
        with open_demo_folder(app.context.demo):
            app.controller.open_demo()
            await until(lambda: app.opened)
        assert app.window.notice.isVisible()
        assert "copy" in app.window.notice.title


async def test_the_next_connection_takes_the_place_of_the_one_before(
    open_app: OpenApp, reference_server: str
) -> None:
    """It stays until the user is signed in at the next one."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        app.controller.start(Options(server=reference_server, login="viewer", password="wrong"))
        await until(lambda: app.failed)
        assert app.session.is_active
        assert app.window.status.who.endswith("· Root")
        await _open(app, reference_server, "viewer", "viewer")
        assert app.window.status.who.endswith("(Viewer)")


async def test_leaving_signs_out_and_shows_the_choices(open_app: OpenApp, reference_server: str) -> None:
    """The session ends at the service, and the connection is offered again."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        client = app.client
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: client.session is not None and not client.session.authenticated)
        assert app.window.start.choices.isVisible()
        assert [one.login for one in app.context.store.file.profiles] == ["root"]
        assert not app.window.actions_by_name["disconnect"].isEnabled()


async def test_work_that_is_given_up_finds_its_pane(
    open_app: OpenApp, reference_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that is cancelled with the connection can still show its message."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        view = app.opened[0].events_view
        await until(lambda: view.model.rowCount() >= 2000)
        exporting = view.findChild(ExportController)
        assert isinstance(exporting, ExportController)
        told: list[tuple[str, bool]] = []
        monkeypatch.setattr(
            view.notice, "show_passing", lambda say: told.append((say().title, isValid(view.notice)))
        )
        exporting.export(tmp_path / "events.csv", ExportOptions("csv", CsvOptions()))
        app.window.actions_by_name["disconnect"].trigger()
        await until(app.window.start.choices.isVisible)
        await until(lambda: told == [("Export cancelled", True)])
        assert not (tmp_path / "events.csv.part").exists()


async def _open(app: AppWindow, url: str, login: str, password: str) -> None:
    before = len(app.opened)
    app.controller.start(Options(server=url, login=login, password=password))
    await until(lambda: len(app.opened) > before)
