"""Holds the connection of the window: opens it, shows how it goes, takes it down in order. Knows no loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSettings, Signal

from cdb_desktop.app.connect import Connection, demo_connection, server_connection
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.options import Options
from cdb_desktop.embedded import EmbeddedServer, Phase
from cdb_desktop.ui.tasks import Handler, Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.workspace import Words, Workspace

_CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a desk is made of besides its window."""

    appearance: Appearance
    settings: QSettings
    words: Words
    report: Handler
    demo: Path  # the folder of the demo's data


class Desk(QObject):
    """The window's connection is one task, the end of which takes panes, client and server down.

    Signals: ``opened`` with the Workspace of a new connection · ``failed`` with the Sentence why there is
    none.
    """

    opened = Signal(object)
    failed = Signal(object)

    def __init__(self, window: MainWindow, tasks: Tasks, setting: Setting) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._setting = setting

    def open_demo(self, early: EmbeddedServer | None = None) -> None:
        """Opens the demo, for which the server ``early`` may have been started already."""
        told = _("The demo service starts. The first time it makes its data, which takes a few seconds.")
        self._open(self._demo(early), told)

    def open_server(self, options: Options) -> None:
        """Opens the service that the command line names."""
        self._open(server_connection(options), _("Signing in at %1.").replace("%1", options.server))

    def _open(self, way: AbstractAsyncContextManager[Connection], told: str) -> None:
        self._window.start.show_connecting(_("Connecting"), told)
        self._tasks.start(_CONNECTION, self._show(way), on_error=self._failed)

    @asynccontextmanager
    async def _demo(self, early: EmbeddedServer | None) -> AsyncIterator[Connection]:
        async with demo_connection(early or demo_server(self._setting.demo)) as connection:
            yield connection

    async def _show(self, way: AbstractAsyncContextManager[Connection]) -> None:
        setting, window = self._setting, self._window
        async with way as connection, Tasks(setting.report) as work:
            workspace = Workspace(
                setting.appearance, setting.settings, window.actions_by_name, work, setting.words
            )
            window.open(workspace, connection.session, connection.service, connection.colour)
            try:
                workspace.begin(connection.client, connection.session)
                workspace.live.answered.connect(window.status.show_latency)
                workspace.live.away.connect(window.status.show_away)
                work.running_changed.connect(window.status.show_running)
                window.status.cancel_requested.connect(work.cancel)
                self.opened.emit(workspace)
                await self._stay(connection)
            finally:
                window.leave()

    async def _stay(self, connection: Connection) -> None:
        if connection.server is None:
            await asyncio.get_running_loop().create_future()
            return
        if connection.server.folder.is_copy:
            self._tell_copy()
        await connection.server.watch(self._tell_server)

    def _tell_copy(self) -> None:
        text = _(
            "Another window has the demo open. This one works on a copy of its own, which is gone at its end."
        )
        self._window.notice.show_notice("accent", _("A copy of the demo"), text)

    def _tell_server(self, phase: Phase) -> None:
        if phase == "running":
            self._window.notice.hide()
            return
        text = _("It ended unexpectedly and is started again. Nothing is lost that it had confirmed.")
        self._window.notice.show_notice("warning", _("The demo service starts again"), text)

    def _failed(self, error: Exception) -> None:
        said = self._setting.words(error)
        self._window.start.show_failure(said)
        self.failed.emit(said)


def _(text: str) -> str:
    return QCoreApplication.translate("Desk", text)
