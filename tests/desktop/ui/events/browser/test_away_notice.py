"""Tests of the notice while rows are scrolled and the service does not respond, over real sockets."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser import rows
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.events.gate import Gate
from tests.desktop.ui.finding import child_of
from tests.server import serving, started


def notice_text(view: EventsView) -> list[ActionNotice]:
    """The text of the notice below the rows."""
    return [bar for bar in view.interrupted.findChildren(ActionNotice) if not bar.isHidden()]


def shown(qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions) -> EventsView:
    """The visible browser."""
    view = EventsView(appearance, settings, actions)
    qtbot.addWidget(view)
    view.resize(1100, 600)
    view.show()
    return view


async def test_an_unreachable_service_is_reported_until_it_is_back(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions, tmp_path: Path
) -> None:
    """The notice appears after two seconds and disappears as soon as rows are loaded."""
    file, view = tmp_path / "own.sqlite", shown(qtbot, appearance, settings, actions)
    async with Tasks(raise_error) as tasks:
        with started(file, "--demo", "--demo-events", "4000") as (_process, url):
            client = Client(url)
            await client.authenticate("root", "admin")
            controller = EventsController(view, client, tasks, ProfileKey(url), LinkOrigin("Museum"))
            controller.load()
            await until(lambda: view.model.rowCount() >= 4000)
        async with client:
            view.table.scrollToBottom()
            await until(lambda: notice_text(view), 8)
            (bar,) = notice_text(view)
            assert bar.title == "The service does not answer"
            with serving(file, "--port", url.rpartition(":")[2]):
                again = child_of(bar, QPushButton, "events.away.again")
                again.click()
                await until(lambda: view.model.event_at(view.model.rowCount() - 1) is not None)
                assert notice_text(view) == []


async def test_a_silent_service_is_reported(
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    actions: Actions,
    reference_server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A service that accepts a request and does not respond is reported."""
    monkeypatch.setattr(rows, "_SILENT", 300)
    view, gate = shown(qtbot, appearance, settings, actions), Gate()
    async with Client(reference_server, transport=gate) as client, Tasks(raise_error) as tasks:
        await client.authenticate("root", "admin")
        controller = EventsController(view, client, tasks, ProfileKey("a"), LinkOrigin("Museum"))
        controller.load()
        await until(lambda: view.model.rowCount() >= 2000)
        assert notice_text(view) == []
        gate.close("offset=1000")
        view.table.scrollToBottom()
        await until(lambda: notice_text(view))
        gate.open()
        await until(lambda: not notice_text(view))
