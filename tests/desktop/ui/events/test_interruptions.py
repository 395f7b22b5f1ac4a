"""Tests of tasks during which the session ends or a right is withdrawn, with a real server."""

import csv
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Client
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events.conftest import OpenBrowser, bars, ended, enter, export_controller, has_ended
from tests.desktop.ui.events.interruption import Interruption, end_of_session
from tests.desktop.ui.finding import awaited_child
from tests.server import serving

EVENTS = 3_200


Browsing = Callable[[Interruption], AbstractAsyncContextManager[tuple[EventsView, Client]]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A separate server."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", str(EVENTS)) as url:
        yield url


@pytest.fixture
def browsing(server: str, open_browser: OpenBrowser) -> Browsing:
    """Yields the visible browser with its rows, whose requests pass through a wire, and its client."""

    @asynccontextmanager
    async def made(wire: Interruption) -> AsyncIterator[tuple[EventsView, Client]]:
        signed_in = sign_in_at(server)(transport=wire)
        async with signed_in as client, open_browser(client) as (view, controller):
            controller.load()
            await until(lambda: view.model.rowCount() >= EVENTS)
            yield view, client

    return made


def ids_of(file: Path) -> list[int]:
    """The ids in an exported file."""
    if file.suffix == ".jsonl":
        return [msgspec.json.decode(line)["event"]["_id"] for line in file.read_bytes().splitlines()]
    with file.open(encoding="utf-8", newline="") as lines:
        return [int(row["_id"]) for row in csv.DictReader(lines)]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
async def test_a_session_ends_during_an_export(browsing: Browsing, tmp_path: Path, form: FileFormat) -> None:
    """The partial file is kept and reported; after signing in, the export continues to a complete file."""
    target = tmp_path / f"events.{form}"
    wire = Interruption("offset=1998")
    async with browsing(wire) as (view, client):
        wire.act = end_of_session(client)
        export_controller(view).export(target, ExportOptions(form))
        await until(lambda: bars(view))
        assert bars(view)[0].title == "Export incomplete"
        assert "repeat the same export to this file" in bars(view)[0].text
        assert not target.exists()
        wire.act = None
        await client.authenticate("root", "admin")
        export_controller(view).export(target, ExportOptions(form))
        await until(lambda: not bars(view))
        await until(lambda: view.notice.title == "Exported")
        found = ids_of(target)
        assert len(found) >= EVENTS
        assert found == list(range(1, len(found) + 1))


async def test_renewing_a_session_completes_an_export(browsing: Browsing, tmp_path: Path) -> None:
    """Signing in again in the background does not interrupt it."""
    target = tmp_path / "events.csv"
    wire = Interruption("offset=1998")
    async with browsing(wire) as (view, client):
        client.renew_with(lambda: client.authenticate("root", "admin"))
        wire.act = end_of_session(client)
        export_controller(view).export(target, ExportOptions())
        await until(lambda: view.notice.title == "Exported")
        found = ids_of(target)
        assert found == list(range(1, len(found) + 1))


async def test_a_session_ends_during_a_search(browsing: Browsing, actions: Actions) -> None:
    """The matches remain with a message; a refresh searches again."""
    wire = Interruption("format=json_full", turn=3)
    async with browsing(wire) as (view, client):
        wire.act = end_of_session(client)
        actions["search"].trigger()
        enter(view, "a")
        await until(lambda: view.notice.isVisible() and has_ended(view))
        found = view.model.rowCount()
        assert found > 0
        assert "searched" in view.count.text
        wire.act = None
        await client.authenticate("root", "admin")
        actions["refresh"].trigger()
        view.reload_requested.emit()
        await until(lambda: ended(view) and view.model.rowCount() > found)


async def start_deletion(view: EventsView, actions: Actions, backup: Path) -> None:
    """Starts deleting the whole log with a backup."""
    actions["delete_found"].trigger()
    dialog = await awaited_child(view, DeletionDialog)
    dialog.typed.setText(str(view.model.rowCount()))
    dialog.path.setText(str(backup))
    dialog.accept_button.click()


async def test_a_session_ends_during_a_deletion(browsing: Browsing, actions: Actions, tmp_path: Path) -> None:
    """The notice shows how many were deleted and that the backup is complete; the others still exist."""
    wire = Interruption("DELETE", turn=2)
    async with browsing(wire) as (view, client):
        wire.act = end_of_session(client)
        backup = tmp_path / "gone.jsonl"
        await start_deletion(view, actions, backup)
        await until(lambda: view.notice.title == "Deletion incomplete")
        assert str(backup) in view.notice.text
        assert len(ids_of(backup)) >= EVENTS
        wire.act = None
        await client.authenticate("root", "admin")
        page = await client.list_events(limit=1)
        assert page.count is not None
        assert EVENTS - 1_000 <= page.count <= EVENTS - 1_000 + 20
