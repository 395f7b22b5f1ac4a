"""Tests of the local data of a connection: it is restored for the same connection only."""

import asyncio
import json
from pathlib import Path

from cdb_desktop.app.options import Options
from cdb_desktop.client import Sort
from cdb_desktop.live.feed_filter import EarlierFilter, with_only_type
from cdb_desktop.queries.query import Query
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.ui.shell.workspace import Workspace
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import service
from tests.desktop.patience import until
from tests.desktop.schema.models import named


async def test_the_demo_restores_its_feeds_and_its_last_query(open_app: OpenApp) -> None:
    """The demo has a single profile, although its server has another port and login each time."""
    query = Query(types=("SEARCH",), sort=(Sort("timestamp"),))
    async with open_app() as app:
        workspace = await _demo(app)
        await until(lambda: workspace.events_view.has_rows)
        workspace.events_view.query_requested.emit(query)
        feeds = workspace.live_view
        feeds.set_filter(with_only_type(Query(), "USER_LOGIN"))
        feeds.open_feed(EarlierFilter(user="anna").query)
        await _leave(app)
        again = await _demo(app)
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
    before = len(app.opened)
    app.controller.start(Options(server=url, login="root", password="admin"))
    await until(lambda: len(app.opened) > before)
    app.window.actions_by_name["schema"].setChecked(True)
    workspace = app.opened[-1]
    await until(lambda: workspace.schema.controller.store.page.is_read)
    await until(lambda: not workspace._tasks.is_running("schema.load"))
    return workspace


async def _demo(app: AppWindow) -> Workspace:
    before = len(app.opened)
    app.controller.open_demo()
    await until(lambda: len(app.opened) > before)
    return app.opened[-1]


async def _leave(app: AppWindow) -> None:
    app.window.actions_by_name["disconnect"].trigger()
    await until(lambda: not app.window.actions_by_name.is_connected)
