"""Tests of the window's connection with a real server, from opening to closing, and of its local data."""

import asyncio
import json
from pathlib import Path

import pytest
from filelock import FileLock, Timeout
from shiboken6 import isValid

from cdb_desktop.app.options import Options
from cdb_desktop.client import CsvOptions, Sort
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.live.feed_filter import EarlierFilter, with_only_type
from cdb_desktop.queries.query import Query
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.shell.workspace import Workspace
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import service
from tests.desktop.patience import until
from tests.desktop.schema.models import named
from tests.desktop.ui.finding import child_of


async def test_a_second_window_on_the_demo_uses_a_copy_and_reports_it(open_app: OpenApp) -> None:
    """Two windows never work on the same data."""
    async with open_app() as app:
        app.context.demo.mkdir(parents=True, exist_ok=True)
        with FileLock(app.context.demo / "in-use"):
            await app.connect()
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
    """The current one stays open until the user is signed in at the new one.

    Disconnecting signs out at the service and shows the start page, which offers both again.
    """
    async with open_app() as app:
        await app.connect(reference_server)
        app.controller.start(Options(server=reference_server, login="viewer", password="wrong"))
        await until(lambda: app.failed)
        assert app.session.is_active
        assert app.window.status.who.text().endswith("· Root")
        app.failed.clear()
        await app.connect(reference_server, "viewer")
        assert app.window.status.who.text().endswith("(Viewer)")
        client = app.client
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: client.session is not None and not client.session.authenticated)
        assert app.window.start.choices.isVisible()
        assert {one.login for one in app.context.store.file.profiles} == {"root", "viewer"}
        assert not app.window.actions_by_name["disconnect"].isEnabled()


async def test_a_cancelled_task_can_use_its_pane(
    open_app: OpenApp, reference_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export that is cancelled by disconnecting can still show its message."""
    async with open_app() as app:
        await app.connect(reference_server)
        view = app.opened[0].events_view
        await until(lambda: view.model.rowCount() >= 2000)
        exporting = child_of(view, ExportController)
        messages: list[tuple[str, bool]] = []
        monkeypatch.setattr(
            view.notice, "show_passing", lambda say: messages.append((say.title, isValid(view.notice)))
        )
        exporting.export(tmp_path / "events.csv", ExportOptions("csv", CsvOptions()))
        app.window.actions_by_name["disconnect"].trigger()
        await until(app.window.start.choices.isVisible)
        await until(lambda: messages == [("Export cancelled", True)])
        assert not (tmp_path / "events.csv.part").exists()


async def test_the_demo_restores_its_feeds_and_its_last_query(open_app: OpenApp) -> None:
    """The demo has a single profile, although its server has another port and login each time."""
    query = Query(types=("SEARCH",), sort=(Sort("timestamp"),))
    async with open_app() as app:
        workspace = await app.connect()
        await until(lambda: workspace.events_view.has_rows)
        workspace.events_view.query_requested.emit(query)
        feeds = workspace.live_view
        feeds.set_filter(with_only_type(Query(), "USER_LOGIN"))
        feeds.open_feed(EarlierFilter(user="anna").query)
        await _leave(app)
        again = await app.connect()
        assert [feed.model.feed.filter for feed in again.live_view.panes] == [
            with_only_type(Query(), "USER_LOGIN"),
            EarlierFilter(user="anna").query,
        ]
        await until(lambda: again.events_view.has_rows)
        assert again.events_view.query == query
        first = again.events_view.model.event_at(0)
        assert first is not None
        assert first.type == "SEARCH"
        again.live_view.set_filter(Query())
        await _leave(app)
        file = Path(app.context.settings.fileName()).with_name("feeds-2.json")
        assert len(json.loads(file.read_bytes())) == 1


async def test_services_with_the_same_name_are_separate(
    open_app: OpenApp, reference_server: str, tmp_path: Path
) -> None:
    """A draft of one museum is not offered at the other."""
    async with open_app() as app:
        with service(tmp_path) as other:
            workspace = await _schema(app, reference_server)
            store = workspace.schema.controller.store
            store.apply(RenameTable(named(store.page.document, "work").key, "opus"))
            name = app.window.status.who.text()
            assert not await _is_offered(app, other.url)
            assert app.window.status.who.text() == name
            assert await _is_offered(app, reference_server)


async def _is_offered(app: AppWindow, url: str) -> bool:
    offer = (await _schema(app, url)).schema.view.draft_notice
    await until(lambda: "schema.drafts" not in {task.get_name() for task in asyncio.all_tasks()})
    return offer.isVisible() and offer.text.startswith("Work on HEAD from")


async def _schema(app: AppWindow, url: str) -> Workspace:
    """Opens the schema page; drafts are looked up before the schema's task is done."""
    workspace = await app.connect(url)
    app.window.actions_by_name["schema"].setChecked(True)
    await until(lambda: workspace.schema.controller.store.page.is_read)
    await until(lambda: not workspace._tasks.is_running("schema.load"))
    return workspace


async def _leave(app: AppWindow) -> None:
    app.window.actions_by_name["disconnect"].trigger()
    await until(lambda: not app.window.actions_by_name.is_connected)
