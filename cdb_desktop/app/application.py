"""The application: creates its parts, runs the event loop, and closes everything in order."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, NoReturn

import qasync
from PySide6.QtWidgets import QApplication, QDialog
from shiboken6 import delete

from cdb_desktop.app.connection.controller import ConnectionController
from cdb_desktop.app.connection.open_file import FileOpenApplication
from cdb_desktop.app.connection.passwords import PasswordStore
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.demo_features import DemoSnapshots, FaultSimulation
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.log_files import start_logging
from cdb_desktop.app.options import PASSWORD, Options
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.app.process import (
    GarbageCollector,
    end_on_signals,
    log_qt_messages,
    on_lost_display,
    release_clipboard,
    report_unhandled,
    start_again,
    start_demo,
)
from cdb_desktop.app.settings_file import SettingsFile
from cdb_desktop.app.smoke_check import Milestones, SmokeCheck
from cdb_desktop.app.startup import Clock
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.foundation.bundle import installed_version
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.foundation.threads import wait_for_threads
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.settings.language import LanguageSetting, ZoneSetting
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import application_icon
from cdb_desktop.ui.widgets.settings import FeedSettings
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.settings import controller as settings_controller
    from cdb_desktop.ui.shell.settings.view import SettingsView
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    settings_controller = lazy("cdb_desktop.ui.shell.settings.controller")

_THREADS_SECONDS = 1.0
_AFTER_START = 1.0  # seconds; the start does not wait for this
_RESTART = "application.restart"
_READING = ("events.read", "events.overview", "events.families", "events.facets", "events.summary")

_log = logging.getLogger(__name__)


def run(options: Options, folders: UserFolders, clock: Clock, server: EmbeddedServer | None) -> int:
    """Runs until the last window is closed and returns the exit code; a lost display ends the process.

    ``server`` is that of the demo, if it has been started already.
    """
    start_logging(folders.logs, os.environ)
    log_qt_messages()
    app = FileOpenApplication(sys.argv[:1])
    app.setApplicationName("cdb-desktop")
    app.setApplicationDisplayName("Content Database Desktop")
    app.setDesktopFileName("cdb-desktop")
    app.setWindowIcon(application_icon())
    # The loop ends after everything has been closed, not with the last window.
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
        application = Application(app, options, folders, clock)
        try:
            code = runner.run(application.main(server))
        except RuntimeError:
            if application.has_ended:
                raise
            # Qt quits its loop when the X server dies, and again whenever the loop is started to clean up.
            application.end_without_display()
    application.delete_window()
    if application.restart is not None:
        if application.password:
            os.environ[PASSWORD] = application.password
        start_again(application.restart)
    if not wait_for_threads(_THREADS_SECONDS):
        # Python would end the threads in the middle of libraries, which can crash.
        app.shutdown()
        logging.shutdown()
        os._exit(code)
    return code


class Application:
    """One window with its connection, settings and tasks."""

    def __init__(self, app: QApplication, options: Options, folders: UserFolders, clock: Clock) -> None:
        self._options = options
        self._folders = folders
        self._stop = asyncio.Event()
        self.has_ended = False  # whether ``main`` has returned or raised an error
        self._started = time.time()
        self.restart: tuple[str, ...] | None = None  # the arguments with which to start again
        self._pages: Workspace | None = None
        self._event = options.event
        self.password = ""  # the one that the program needs then, if no keyring has it
        self._garbage = GarbageCollector(app)
        self._milestones = Milestones(clock, app)
        settings = SettingsFile(folders.settings / "cdb-desktop.ini")
        self._language = LanguageSetting(app, settings)
        appearance = Appearance(app, settings)
        pages = PageLoader(options.restarted or math.inf)
        self._zone = ZoneSetting(app, settings)
        store = ConnectionStore(ConnectionFile(folders.connections), PasswordStore())
        # The check needs data, regardless of the last filters.
        key = ProfileKey("smoke") if options.smoke else None
        self._context = ConnectionContext(
            appearance, settings, self._report, folders.demo, store, pages, folders.opened, key
        )
        self._window = MainWindow(appearance, settings)
        self._milestones.watch("window", self._window, self._window.isVisible)
        app.lastWindowClosed.connect(self._stop.set)

    def delete_window(self) -> None:
        """Deletes the window with all that belongs to it, which Python would clear in any order."""
        release_clipboard()
        delete(self._window)

    async def main(self, early: EmbeddedServer | None) -> int:
        """Shows the window until it is closed, and returns the exit code."""
        try:
            return await self._run(early)
        finally:
            self.has_ended = True

    def end_without_display(self) -> NoReturn:
        """Ends the process with code 1 when the event loop cannot run any more, after saving the settings.

        Nothing else is lost, as after a crash: edits are in journals, and the embedded server exits when its
        standard input is closed.
        """
        self._context.settings.sync()
        _log.error(
            "The connection to the display is lost, so the program ends. Unsaved edits of the schema are "
            "kept and offered at the next start."
        )
        logging.shutdown()
        # Destroying windows without a display can crash.
        os._exit(1)

    async def _run(self, early: EmbeddedServer | None) -> int:
        end_on_signals(self._stop.set)
        on_lost_display(self.end_without_display)
        report_unhandled(self._report)
        async with Tasks(self._report) as tasks:
            session = ConnectionSession(self._window, tasks, self._context)
            self._window.offline_pages.settings_made.connect(partial(self._control_settings, tasks, session))
            controller = ConnectionController(self._window, session, tasks, self._context)
            FaultSimulation(self._window, session, tasks, self._context)
            DemoSnapshots(self._window, session, tasks, self._context)
            ProblemReports(self._window, session, tasks, self._context, self._folders)
            session.opened.connect(self._milestones.watch_pages)
            session.opened.connect(self._select_event)
            session.opened.connect(lambda pages: self._enter_demo(session, pages))
            session.left.connect(self._forget_pages)
            session.left.connect(self._window.manual.leave_demo)
            self._window.manual.demo_requested.connect(start_demo)
            controller.failed.connect(self._forget_event)
            smoke = SmokeCheck(self._window, self._milestones, self._stop.set, self._options.timeout)
            if self._options.smoke:
                controller.failed.connect(smoke.fail)
                session.failed.connect(lambda error: smoke.fail(error_message(error)))
                controller.input_required.connect(smoke.fail_without_password)
                tasks.start("smoke", smoke.run())
            self._window.show()
            controller.start(self._options, early)
            if self._options.show:
                self._window.manual.start_when_possible(self._options.show)
            elif not (self._options.smoke or self._options.restarted):
                tasks.start("application.version", self._show_news())
            if self._options.page in self._window.actions_by_name:
                self._window.actions_by_name[self._options.page].setChecked(True)
            await self._stop.wait()
            # A window with an open dialog refuses to be closed.
            for dialog in self._window.findChildren(QDialog):
                dialog.hide()
            self._window.end_recordings()
            self._window.close()
            self._garbage.stop()
            # Otherwise Qt writes at the very end, and may wait half a minute for a lock that was left behind.
            self._context.settings.sync()
        return smoke.exit_code if self._options.smoke else 0

    async def _show_news(self) -> None:
        await asyncio.sleep(_AFTER_START)
        self._window.manual.show_news(installed_version())

    async def _losses(self, session: ConnectionSession) -> list[str]:
        """What a restart ends."""
        running = self._window.status.work.running
        losses = [task.title for task in running if not task.name.startswith(_READING)]
        if self._window.actions_by_name["live_record"].isChecked():
            losses.append(tr("The recording of the live feed"))
        connection = session.connection
        if connection is not None and connection.demo is not None and connection.demo.folder.is_copy:
            losses.append(tr("A copy of the demo"))
        if connection is not None and connection.server is None:
            secrets = await connection.remembered()
            if not secrets.suffice:
                losses.append(tr("The sign-in, as it is not remembered"))
        return losses

    def _select_event(self, pages: Workspace) -> None:
        """Selects the event that was selected before a restart."""
        self._pages, number, self._event = pages, self._event, 0
        if number:
            pages.select_event(number)

    def _enter_demo(self, session: ConnectionSession, pages: Workspace) -> None:
        if session.connection is not None and session.connection.demo is not None:
            self._window.manual.enter_demo({**pages.pages, "live": pages.feed})

    def _forget_event(self, _message: ErrorMessage) -> None:
        # The next service to be opened may be another one, where the id is that of another event.
        self._event = 0

    def _forget_pages(self) -> None:
        self._pages = None

    async def _restart(self, session: ConnectionSession) -> None:
        """Ends the program, which then comes back to what is shown."""
        connection, page = session.connection, self._window.actions_by_name.page
        if connection is not None and connection.server is None:
            passwords = self._context.store.passwords
            password = (await connection.remembered()).password
            is_kept = await passwords.are_lasting() and await passwords.password(connection.profile.key)
            self.password = "" if is_kept == password else password
        since = self._options.restarted or self._started
        event = 0 if self._pages is None else self._pages.selected_event
        self.restart = (*session.arguments, f"--page={page}", f"--event={event}", f"--restarted={since}")
        self._stop.set()

    def _control_settings(self, tasks: Tasks, session: ConnectionSession, page: SettingsView) -> None:
        """Creates the controller of the settings page, which is made when it is first shown."""
        folders, context = self._folders, self._context
        page.show_folders(folders.settings, folders.logs, folders.demo)
        controller = settings_controller.SettingsController(
            page, context.appearance, self._language, self._zone, FeedSettings.of(context.settings), tasks
        )
        controller.losses = partial(self._losses, session)
        controller.restart_requested.connect(lambda: tasks.start(_RESTART, self._restart(session)))

    def _report(self, error: Exception) -> None:
        message = error_message(error)
        _log.error("%s", message.text, exc_info=error)
        self._window.notice.show_failure(message)
