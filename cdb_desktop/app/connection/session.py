"""The connection, or the model file, that the window shows: opens it, reports its state, and closes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QSettings, Signal

from cdb_desktop.app.connection.browser import BrowserSignIn
from cdb_desktop.app.connection.connect import Connection, OpenedLog, SessionStormError
from cdb_desktop.app.connection.renewal import SessionRenewal
from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import Client, ClientError, Session, Settings
from cdb_desktop.embedded import Phase
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.messages import found_service, service_state
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Handler, Tasks, Work
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.schema.files.model_files import OpenedFile
    from cdb_desktop.ui.connection import dialogs
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    dialogs = lazy("cdb_desktop.ui.connection.dialogs")

_PRELOAD, _REMAINING, _STATE = "session.preload", "session.remaining_pages", "session.state"
_LASTING = ("", "ready")  # states of a service
_STATE_INTERVAL = 30.0  # seconds


class ConnectionContext(msgspec.Struct, frozen=True):
    """What the controllers of the connection share besides the window."""

    appearance: Appearance
    settings: QSettings
    report: Handler
    demo: Path  # folder of the demo data
    store: ConnectionStore
    pages: PageLoader
    opened: Path  # folder of the databases of log files
    key: ProfileKey | None = None  # replaces the key under which each connection stores its state
    browser: BrowserSignIn = msgspec.field(default_factory=BrowserSignIn)


class ConnectionSession(QObject):
    """Each connection or model file is one task; when it ends, its pages, client and server are closed.

    What is shown stays until the next connection is signed in, or the next file has been read.

    Signals: ``opened`` with the Workspace of a new connection · ``failed`` with the exception that
    ended the connection that was shown · ``closed`` when the user has ended it · ``left`` when what was shown
    is no longer open · ``server_restarted`` when the server of the demo runs again.
    """

    opened = Signal(object)
    failed = Signal(object)
    closed = Signal()
    left = Signal()
    server_restarted = Signal()

    def __init__(self, window: MainWindow, tasks: Tasks, context: ConnectionContext) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._context = context
        self._names = (f"connection.{number}" for number in count())
        self._opening = ""
        self._shown = ""
        self._turn = asyncio.Lock()
        self._renewal: SessionRenewal | None = None
        self.connection: Connection | None = None  # the connection that is shown
        self._file: Path | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the command line that open what is shown."""
        connection, file = self.connection, self._file
        if connection is not None and connection.log is not None:
            file = connection.log.file
        if file is not None:
            return (str(file.absolute()),)
        if connection is None:
            return ()
        if connection.demo is not None:
            return ("--demo", *connection.demo.options)
        # A login may begin with a hyphen.
        return (f"--server={connection.profile.address}", f"--login={connection.profile.login}")

    @property
    def is_active(self) -> bool:
        """Whether a connection or a file is shown."""
        return bool(self._shown)

    def preload(self) -> None:
        """Imports the pages of a connection while the service is still answering."""
        # Opening the connection imports again and reports the error.
        self._tasks.start(_PRELOAD, self._context.pages.load_workspace(), on_error=lambda _error: None)

    def open(self, opening: AbstractAsyncContextManager[Connection], on_error: Handler) -> None:
        """Shows the connection that ``opening`` opens; ``on_error`` is called if it raises."""
        self._start(lambda name: self._show(name, opening), on_error)

    def open_file(self, opening: AbstractAsyncContextManager[OpenedFile], on_error: Handler) -> None:
        """Shows the model file that ``opening`` reads; ``on_error`` is called if it raises."""
        self._start(lambda name: self._show_file(name, opening), on_error)

    def cancel(self) -> None:
        """Cancels an attempt to connect that has not succeeded yet."""
        self._tasks.cancel(self._opening)

    def close(self) -> None:
        """Ends the connection, or closes the file."""
        self.cancel()
        self._tasks.cancel(self._shown)
        self._shown = ""
        self.closed.emit()

    def sign_in(self) -> None:
        """Signs in again, after the user has declined that before."""
        if self._renewal is not None:
            self._renewal.start()

    def _start(self, show: Callable[[str], Work], on_error: Handler) -> None:
        self.cancel()
        self._opening = name = next(self._names)

        def failed(error: Exception) -> None:
            if name == self._shown:
                self._shown = ""
                self.failed.emit(error)
            else:
                on_error(error)

        self._tasks.start(name, show(name), on_error=failed)

    async def _show(self, name: str, opening: AbstractAsyncContextManager[Connection]) -> None:
        self.preload()

        async def stay(work: Tasks) -> None:
            await self._open(connection, work)
            await self._stay(connection)

        async with opening as connection:
            await self._context.pages.load_workspace()
            await self._replace(name, stay)

    async def _show_file(self, name: str, opening: AbstractAsyncContextManager[OpenedFile]) -> None:
        async def stay(work: Tasks) -> None:
            await self._open_file(opened, work)
            await _forever()

        async with opening as opened:
            await self._replace(name, stay)

    async def _replace(self, name: str, stay: Callable[[Tasks], Awaitable[None]]) -> None:
        """Ends what was shown, and then runs ``stay`` until it ends or is cancelled."""
        before, self._shown, self._opening = self._shown, name, ""
        self._tasks.cancel(before)
        async with self._turn:
            try:
                # Tasks that are cancelled may still write to their page, which is closed only afterwards.
                async with Tasks(self._context.report) as work:
                    await stay(work)
            finally:
                self._renewal = self.connection = self._file = None
                self._window.notice.hide()
                self._window.leave()
                self.left.emit()

    async def _open_file(self, opened: OpenedFile, work: Tasks) -> None:
        context, window = self._context, self._window
        self._file = opened.path
        page = await context.pages.model_page(window.page_context)
        window.notice.hide()
        window.open_model(page.page, opened.path.name, page.palette_sources)
        work.running_changed.connect(window.status.work.show_running)
        window.status.cancel_requested.connect(work.give_up)
        page.begin(opened, work)

    async def _open(self, connection: Connection, work: Tasks) -> None:
        context, window, profile = self._context, self._window, connection.profile
        self.connection = connection
        context.pages.demo_database = connection.demo.folder.database if connection.demo else None
        workspace = await context.pages.workspace(window.page_context, work)
        window.actions_by_name.set_possible("sign_in", possible=False)
        log = connection.log
        window.open(
            workspace,
            connection.session,
            profile.title if log is None else log.file.name,
            profile.colour,
            is_file=log is not None,
        )
        if log is None and connection.client.service is not None:
            work.start(_STATE, self._show_service(connection.client, connection.client.service))
        await asyncio.sleep(0)
        self._renewal = self._create_renewal(connection, work, workspace)
        connection.client.renew_with(self._renewal)
        await asyncio.sleep(0)
        key = context.key or connection.key
        workspace.begin(
            connection.client,
            connection.session,
            key,
            connection.origin,
            follows=log is None,
            title=profile.title,
        )
        workspace.sign_in_requested.connect(self._renewal.start)
        if log is None:
            workspace.answered.connect(window.status.show_latency)
        workspace.away.connect(window.status.show_away)
        workspace.alarms_counted.connect(window.status.show_alarms)
        work.running_changed.connect(window.status.work.show_running)
        window.status.cancel_requested.connect(work.give_up)
        self.opened.emit(workspace)
        if log is None:
            work.start(_REMAINING, self._add_remaining_pages(workspace))
        elif not log.report.is_complete:
            window.notice.show_message("warning", _incomplete_log(log))

    async def _show_service(self, client: Client, service: Settings) -> None:
        """Shows what is known about the service, and reads a state that passes again until it has."""
        while True:
            self._window.status.show_service(service_state(service), found_service(service))
            if not service.read_only and service.state in _LASTING:
                return
            await asyncio.sleep(_STATE_INTERVAL)
            with suppress(ClientError):
                service = await client.settings()

    async def _add_remaining_pages(self, workspace: Workspace) -> None:
        """Adds the schema page after the rows are shown, or at once if it is the current page."""
        if not self._window.actions_by_name["schema"].isChecked():
            await workspace.has_shown_rows()
        await self._context.pages.load_schema()
        workspace.make_schema_page()

    def _create_renewal(self, connection: Connection, work: Tasks, workspace: Workspace) -> SessionRenewal:
        context, profile = self._context, connection.profile
        has_browser = connection.browser is not None
        dialog = dialogs.SignInDialog(context.appearance, profile, self._window, has_browser=has_browser)

        def renewed(session: Session) -> None:
            self._window.actions_by_name.set_possible("sign_in", possible=False)
            self._window.notice.hide()
            self._window.show_session(session)
            workspace.renew(session)

        renewal = SessionRenewal(connection, dialog, work, context.store.passwords, context.browser)
        renewal.password_requested.connect(self._show_signed_out)
        renewal.password_requested.connect(workspace.sign_out)
        renewal.renewed.connect(renewed)
        renewal.declined.connect(self._notify_signed_out)
        renewal.delayed.connect(self._show_signed_out)
        renewal.delayed.connect(workspace.sign_out)
        renewal.delayed.connect(self._notify_short_sessions)
        renewal.resumed.connect(workspace.resume)
        renewal.disconnect_requested.connect(self.close)
        workspace.feed.destroyed.connect(dialog.deleteLater)
        return renewal

    async def _stay(self, connection: Connection) -> None:
        if connection.server is None:
            await _forever()
            return
        if connection.server.folder.is_copy:
            self._notify_copy()
        await connection.server.watch(
            self._notify_server if connection.log is None else self._notify_log_server
        )

    def _show_signed_out(self) -> None:
        self._window.actions_by_name.set_possible("sign_in", possible=True)
        self._window.status.show_signed_out()

    def _notify_signed_out(self) -> None:
        key = key_of(self._window.actions_by_name["sign_in"])
        self._window.notice.show_notice(
            "warning",
            tr("Signed out"),
            tr("The session has expired. Loaded data stays visible; press {key} to sign in again.", key=key),
        )

    def _notify_short_sessions(self) -> None:
        message = error_message(SessionStormError(key_of(self._window.actions_by_name["sign_in"])))
        self._window.notice.show_notice("warning", message.title, f"{message.text} {message.remedy}")

    def _notify_copy(self) -> None:
        text = tr(
            "The demo is open in another window. This window uses a temporary copy, which is "
            "deleted when it closes."
        )
        self._window.notice.show_notice("accent", tr("A copy of the demo"), text)

    def _notify_log_server(self, phase: Phase) -> None:
        if phase == "running":
            self._window.notice.hide()
            return
        text = tr("The program that reads it stopped unexpectedly and is being restarted.")
        self._window.notice.show_notice("warning", tr("Reading the file again"), text)

    def _notify_server(self, phase: Phase) -> None:
        if phase == "running":
            self._window.notice.hide()
            self.server_restarted.emit()
            return
        text = tr("It stopped unexpectedly and is being restarted. Nothing it had confirmed is lost.")
        self._window.notice.show_notice("warning", tr("Restarting the demo service"), text)


def _incomplete_log(log: OpenedLog) -> ErrorMessage:
    """Which lines of a log file are not shown."""
    report, parts = log.report, []
    if report.damaged:
        numbers = ", ".join(map(number_text, report.damaged_lines))
        more = ", …" if report.damaged > len(report.damaged_lines) else ""
        text = tr(
            "{count:One line contains no readable event and was|{count} lines contain no readable event and "
            "were} skipped: {lines}.",
            count=report.damaged,
            lines=f"{numbers}{more}",
        )
        parts.append(text)
    if report.repeated:
        text = tr(
            "{count:One line repeats|{count} lines repeat} the id of another; of these records the most "
            "detailed one is shown.",
            count=report.repeated,
        )
        parts.append(text)
    return ErrorMessage(tr("Not all lines of {name} are shown", name=log.file.name), " ".join(parts), "")


async def _forever() -> None:
    await asyncio.get_running_loop().create_future()
