"""The program as one coroutine: makes window and desk, waits for the end, takes them down in order."""

from __future__ import annotations

import asyncio
import logging

from PySide6.QtWidgets import QApplication

from cdb_desktop.app.age import Clock
from cdb_desktop.app.choosing import Choices
from cdb_desktop.app.connect import words_in
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.door import Door
from cdb_desktop.app.ending import end_on_signals, report_slots
from cdb_desktop.app.garbage import Garbage
from cdb_desktop.app.known import Known
from cdb_desktop.app.memory import Memory
from cdb_desktop.app.options import Options
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.app.places import Places
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.app.secrets import Secrets
from cdb_desktop.app.settings_file import SettingsFile
from cdb_desktop.app.smoke import Smoke
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.ui.language.setting import LanguageSetting
from cdb_desktop.ui.language.zone import ZoneSetting
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.milestones import Milestones
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.ui.window.tour import watch_workspace
from cdb_desktop.vocabulary.sentences import Sentence

_log = logging.getLogger(__name__)


class Program:
    """One window, one desk, and the reasons to end."""

    def __init__(self, app: QApplication, options: Options, places: Places, clock: Clock) -> None:
        self._options = options
        self._places = places
        self._stop = asyncio.Event()
        self._garbage = Garbage(app)
        self._milestones = Milestones(clock, app)
        settings = SettingsFile(places.settings / "cdb-desktop.ini")
        self._language = LanguageSetting(app, settings)
        appearance = Appearance(app, settings)
        pages = PageLoader()
        zone = ZoneSetting(app, settings)
        self._choices = Choices(appearance, self._language, zone, places, settings, pages)
        memory = Memory(Known(places.connections), Secrets())
        # A check is to see data, whatever was filtered away the last time.
        home = Home("smoke") if options.smoke else None
        self._setting = Setting(
            appearance, settings, self._words, self._report, places.demo, memory, pages, home
        )
        self._window = MainWindow(appearance, settings, pages)
        self._milestones.watch("window", self._window, self._window.isVisible)
        app.lastWindowClosed.connect(self._stop.set)

    async def main(self, early: EmbeddedServer | None) -> int:
        """Shows the window until it is closed; gives the exit code."""
        end_on_signals(self._stop.set)
        report_slots(self._report)
        async with Tasks(self._report) as tasks:
            self._choices.follow(self._window.standing, tasks)
            desk = Desk(self._window, tasks, self._setting)
            door = Door(self._window, desk, tasks, self._setting)
            ProblemReports(self._window, desk, tasks, self._setting, self._places)
            desk.opened.connect(self._watch)
            smoke = Smoke(self._window, self._milestones, self._stop.set)
            if self._options.smoke:
                door.failed.connect(smoke.fail)
                desk.broken.connect(lambda error: smoke.fail(self._words(error)))
                door.asked.connect(smoke.miss_password)
                tasks.start("smoke", smoke.run())
            self._window.show()
            door.begin(self._options, early)
            await self._stop.wait()
            self._window.close()
            self._garbage.stop()
            # Else Qt writes at the very end, and may wait half a minute for a lock that was left behind.
            self._setting.settings.sync()
        return smoke.exit_code if self._options.smoke else 0

    def _watch(self, workspace: Panes) -> None:
        watch_workspace(self._milestones, workspace)

    def _words(self, error: BaseException) -> Sentence:
        return words_in(self._language.language)(error)

    def _report(self, error: Exception) -> None:
        said = self._words(error)
        _log.error("%s", said.text, exc_info=error)
        self._window.notice.show_failure(said)
