"""Tests of the window's connection with a real server, from opening to closing."""

from pathlib import Path

import pytest
from filelock import FileLock, Timeout
from shiboken6 import isValid

from cdb_desktop.app.options import Options
from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.events.export.controller import ExportController
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until


async def test_a_second_window_on_the_demo_uses_a_copy_and_reports_it(open_app: OpenApp) -> None:
    """Two windows never work on the same data."""
    async with open_app() as app:
        app.context.demo.mkdir(parents=True, exist_ok=True)
        with FileLock(app.context.demo / "in-use"):
            app.controller.open_demo()
            await until(lambda: app.opened)
        assert app.window.notice.isVisible()
        assert "copy" in app.window.notice.title


async def test_both_demos_of_a_window_have_the_same_data(open_app: OpenApp) -> None:
    """The one that is opened replaces the other, and what was done in it stays."""
    async with open_app() as app:
        app.window.actions_by_name["demo"].trigger()
        await until(lambda: len(app.opened) == 1)
        app.window.actions_by_name["demo_new"].trigger()
        await until(lambda: len(app.opened) == 2)
        connection = app.session.connection
        assert connection is not None
        assert connection.demo is not None
        assert connection.demo.options == ("--generation=6",)
        assert not connection.demo.folder.is_copy
        with pytest.raises(Timeout):
            FileLock(app.context.demo / "in-use", timeout=0).acquire()


async def test_a_new_connection_replaces_the_current_one(open_app: OpenApp, reference_server: str) -> None:
    """The current one stays open until the user is signed in at the new one."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        app.controller.start(Options(server=reference_server, login="viewer", password="wrong"))
        await until(lambda: app.failed)
        assert app.session.is_active
        assert app.window.status.who.text().endswith("· Root")
        await _open(app, reference_server, "viewer", "viewer")
        assert app.window.status.who.text().endswith("(Viewer)")


async def test_disconnecting_signs_out_and_shows_the_start_page(
    open_app: OpenApp, reference_server: str
) -> None:
    """The session ends at the service, and the connection is offered again."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        client = app.client
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: client.session is not None and not client.session.authenticated)
        assert app.window.start.choices.isVisible()
        assert [one.login for one in app.context.store.file.profiles] == ["root"]
        assert not app.window.actions_by_name["disconnect"].isEnabled()


async def test_a_cancelled_task_can_use_its_pane(
    open_app: OpenApp, reference_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that is cancelled by disconnecting can still show its message."""
    async with open_app() as app:
        await _open(app, reference_server, "root", "admin")
        view = app.opened[0].events_view
        await until(lambda: view.model.rowCount() >= 2000)
        exporting = view.findChild(ExportController)
        assert isinstance(exporting, ExportController)
        messages: list[tuple[str, bool]] = []
        monkeypatch.setattr(
            view.notice, "show_passing", lambda say: messages.append((say.title, isValid(view.notice)))
        )
        exporting.export(tmp_path / "events.csv", ExportOptions("csv", CsvOptions()))
        app.window.actions_by_name["disconnect"].trigger()
        await until(app.window.start.choices.isVisible)
        await until(lambda: messages == [("Export cancelled", True)])
        assert not (tmp_path / "events.csv.part").exists()


async def _open(app: AppWindow, url: str, login: str, password: str) -> None:
    before = len(app.opened)
    app.controller.start(Options(server=url, login=login, password=password))
    await until(lambda: len(app.opened) > before)
