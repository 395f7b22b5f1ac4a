"""The program as one coroutine: makes window and desk, waits for the end, takes them down in order."""

from __future__ import annotations

import asyncio
import logging

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.age import Clock
from cdb_desktop.app.connect import words_in
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.ending import end_on_signals, report_slots
from cdb_desktop.app.options import Options
from cdb_desktop.app.places import Places
from cdb_desktop.app.smoke import Smoke
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.milestones import Milestones
from cdb_desktop.ui.window.tour import watch_workspace
from cdb_desktop.ui.window.workspace import Workspace

_log = logging.getLogger(__name__)


class Program:
    """One window, one desk, and the reasons to end."""

    def __init__(self, app: QApplication, options: Options, places: Places, clock: Clock) -> None:
        self._options = options
        self._stop = asyncio.Event()
        self._milestones = Milestones(clock, app)
        self._words = words_in("en")
        settings = QSettings(str(places.settings / "cdb-desktop.ini"), QSettings.Format.IniFormat)
        appearance = Appearance(app, settings)
        self._setting = Setting(appearance, settings, self._words, self._report, places.demo)
        self._window = MainWindow(appearance, settings)
        self._milestones.watch("window", self._window, self._window.isVisible)
        app.lastWindowClosed.connect(self._stop.set)

    async def main(self, early: EmbeddedServer | None) -> int:
        """Shows the window until it is closed; gives the exit code."""
        end_on_signals(self._stop.set)
        report_slots(self._report)
        async with Tasks(self._report) as tasks:
            desk = Desk(self._window, tasks, self._setting)
            self._window.start.connect_requested.connect(lambda: self._connect(desk))
            desk.opened.connect(self._watch)
            smoke = Smoke(self._window, self._milestones, self._stop.set)
            if self._options.smoke:
                desk.failed.connect(smoke.fail)
                tasks.start("smoke", smoke.run())
            self._window.show()
            if self._options.demo or self._options.server:
                self._connect(desk, early)
            await self._stop.wait()
            self._window.close()
        return smoke.exit_code if self._options.smoke else 0

    def _watch(self, workspace: Workspace) -> None:
        watch_workspace(self._milestones, workspace)

    def _connect(self, desk: Desk, early: EmbeddedServer | None = None) -> None:
        if self._options.server:
            desk.open_server(self._options)
        else:
            desk.open_demo(early)

    def _report(self, error: Exception) -> None:
        said = self._words(error)
        _log.error("%s", said.text, exc_info=error)
        self._window.notice.show_notice("danger", said.title, f"{said.text} {said.remedy}")
