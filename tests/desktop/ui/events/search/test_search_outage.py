"""Tests of a search during which a real service stops and restarts."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until
from tests.desktop.ui.events.interruption import Interruption
from tests.server import started

EVENTS = 3_200


async def test_a_search_waits_for_the_service_and_says_so(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions, tmp_path: Path
) -> None:
    """It continues automatically without skipping events."""
    view = EventsView(appearance, settings, actions)
    qtbot.addWidget(view)
    view.resize(1100, 600)
    view.show()
    wire = Interruption("format=json_full", turn=2)
    file = tmp_path / "own.sqlite"
    with ExitStack() as stack:
        process, url = stack.enter_context(started(file, "--demo", "--demo-events", str(EVENTS)))
        async with Client(url, transport=wire) as client, Tasks(_raise) as tasks:
            await client.authenticate("root", "admin")
            controller = EventsController(view, client, tasks, ProfileKey(client.address))
            controller.load()
            await until(lambda: view.model.rowCount() >= EVENTS)

            async def stop_server() -> None:
                process.kill()
                process.wait()

            wire.act = stop_server
            view.panels.open_search()
            panel = view.panels.search
            panel.text.setText("a")
            panel.search()
            await until(lambda: panel.status.endswith("waiting for the service"))
            assert panel.go.text() == "Stop"
            wire.act = None
            stack.enter_context(started(file, "--port", url.rpartition(":")[2]))
            await until(lambda: panel.go.text() == "Search", 30)
            total = view.model.rowCount()
            assert panel.status == f"{total} hits in {total} events"


def _raise(error: Exception) -> None:
    raise error
