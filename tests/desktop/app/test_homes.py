"""Tests of what stays on this machine of a connection: it comes back there, and nowhere else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from cdb_desktop.app.options import Options
from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query
from cdb_desktop.live.choice import Choice
from cdb_desktop.schema.table_edits import RenameTable
from cdb_desktop.ui.window.workspace import Workspace
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.app.services import service
from tests.desktop.patience import until
from tests.desktop.schema.models import named


async def test_the_demo_has_its_feeds_again(take_seat: Take) -> None:
    """Though its server has another port and another log-in each time; and it takes one place of all."""
    async with take_seat() as seat:
        feeds = (await _demo(seat)).live_view
        feeds.choose(Choice().only("USER_LOGIN"))
        feeds.open_feed(Choice(user="anna"))
        await _leave(seat)
        again = (await _demo(seat)).live_view
        assert [feed.model.feed.choice for feed in again.feeds] == [
            Choice().only("USER_LOGIN"),
            Choice(user="anna"),
        ]
        again.choose(Choice())
        await _leave(seat)
        file = Path(seat.setting.settings.fileName()).with_name("feeds.json")
        assert len(json.loads(file.read_bytes())) == 1


async def test_the_demo_asks_its_last_query_again(take_seat: Take) -> None:
    """As a service does whose address stays."""
    query = Query(types=("SEARCH",), sort=(Sort("timestamp"),))
    async with take_seat() as seat:
        view = (await _demo(seat)).events_view
        await until(lambda: view.has_rows)
        view.query_requested.emit(query)
        await _leave(seat)
        again = (await _demo(seat)).events_view
        await until(lambda: again.has_rows)
        assert again.editing.query == query
        first = again.model.event_at(0)
        assert first is not None
        assert first.type == "SEARCH"


async def test_services_of_one_name_keep_apart(
    take_seat: Take, reference_server: str, tmp_path: Path
) -> None:
    """Two copies of a museum are two museums: work begun at one is not offered at the other."""
    async with take_seat() as seat:
        with service(tmp_path) as other:
            workspace = await _schema(seat, reference_server)
            store = workspace.schema.controller.store
            assert store.page is not None
            store.apply(RenameTable(named(store.page.document, "work").key, "opus"))
            name = seat.window.status.who
            assert not await _is_offered(seat, other.url)
            assert seat.window.status.who == name
            assert await _is_offered(seat, reference_server)


async def _is_offered(seat: Seat, url: str) -> bool:
    offer = (await _schema(seat, url)).schema.view.draft_offer
    await until(lambda: "schema.drafts" not in {task.get_name() for task in asyncio.all_tasks()})
    return offer.isVisible() and offer.text.startswith("Work on HEAD from")


async def _schema(seat: Seat, url: str) -> Workspace:
    """The draft is looked for before the schema's task is done."""
    before = len(seat.opened)
    seat.door.begin(Options(server=url, login="root", password="admin"))
    await until(lambda: len(seat.opened) > before)
    seat.window.actions_by_name["schema"].setChecked(True)
    workspace = seat.opened[-1]
    await until(lambda: workspace.schema.controller.store.page is not None)
    await until(lambda: not workspace._tasks.is_running("schema.load"))
    return workspace


async def _demo(seat: Seat) -> Workspace:
    before = len(seat.opened)
    seat.door.open_demo()
    await until(lambda: len(seat.opened) > before)
    return seat.opened[-1]


async def _leave(seat: Seat) -> None:
    seat.window.actions_by_name["disconnect"].trigger()
    await until(lambda: not seat.window.actions_by_name.is_connected)
