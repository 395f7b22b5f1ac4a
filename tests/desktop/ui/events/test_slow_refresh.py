"""Tests of a refresh for which the service takes its time: over real sockets, held up on the way."""

from __future__ import annotations

import asyncio

import httpx
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.sentences import sentence
from tests.desktop.patience import until


class Gate(httpx.AsyncBaseTransport):
    """Lets calls through while it is open."""

    def __init__(self) -> None:
        self._wire = httpx.AsyncHTTPTransport()
        self.open = asyncio.Event()
        self.open.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self.open.wait()
        return await self._wire.handle_async_request(request)

    async def aclose(self) -> None:
        await self._wire.aclose()


def _fail(error: Exception) -> None:
    raise error


async def test_a_slow_refresh_is_told_and_can_be_cancelled(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions, reference_server: str
) -> None:
    """The rows stand meanwhile; who cancels has the count again, who waits has the new rows."""
    gate = Gate()
    window = QMainWindow()
    qtbot.addWidget(window)
    view = EventsView(appearance, settings, actions)
    window.setCentralWidget(view)
    window.resize(1000, 600)
    window.show()
    async with Client(reference_server, transport=gate) as client, Tasks(_fail) as tasks:
        await client.authenticate("root", "admin")
        controller = EventsController(view, client, tasks, sentence)
        controller.load()
        await until(lambda: view.model.rowCount() >= 2000 and not tasks.is_running("events.load"))
        told, result = view.count.text, view.model.result
        gate.open.clear()
        controller.load()
        assert view.count.text == told
        await until(lambda: "Loading events" in view.count.text)
        assert view.has_rows
        assert view.model.result is result
        assert [work.title for work in tasks.running] == ["Loading events"]
        tasks.cancel("events.load")
        await until(lambda: view.count.text == told)
        controller.load()
        await until(lambda: "Loading events" in view.count.text)
        gate.open.set()
        await until(lambda: view.model.result is not result)
        assert "Loading" not in view.count.text
