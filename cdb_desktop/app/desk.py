"""Holds the connection of the window: opens it, shows how it goes, takes it down in order. Knows no loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QSettings, Signal

from cdb_desktop.app.connect import Connection, SessionStormError
from cdb_desktop.app.memory import Memory
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.app.renewal import Renewal
from cdb_desktop.client import Session
from cdb_desktop.embedded import Phase
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.sign_in_sheet import SignInSheet
from cdb_desktop.ui.tasks import Handler, Tasks, Work
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.panes import Panes
from cdb_desktop.vocabulary.sentences import Sentence, Words

if TYPE_CHECKING:
    from cdb_desktop.schema.model_files import OpenedFile

_PREPARE, _REST = "desk.prepare", "desk.rest"

Way = AbstractAsyncContextManager[Connection]
FileWay = AbstractAsyncContextManager["OpenedFile"]


class Setting(msgspec.Struct, frozen=True):
    """What desk and door are made of besides their window."""

    appearance: Appearance
    settings: QSettings
    words: Words
    report: Handler
    demo: Path  # the folder of the demo's data
    memory: Memory
    pages: PageLoader
    home: Home | None = None  # what stays of any connection, in place of each one's own


class Desk(QObject):
    """Each connection is one task, the end of which takes panes, client and server down; so is a model file.

    The one that is shown stays until the next one is signed in, or opened.

    Signals: ``opened`` with the Panes of a new connection · ``broken`` with the exception that ended the
    one that was shown · ``left`` when the user wants none.
    """

    opened = Signal(object)
    broken = Signal(object)
    left = Signal()

    def __init__(self, window: MainWindow, tasks: Tasks, setting: Setting) -> None:
        super().__init__(window)
        self._window = window
        self._tasks = tasks
        self._setting = setting
        self._names = (f"connection.{number}" for number in count())
        self._trying = ""
        self._shown = ""
        self._turn = asyncio.Lock()
        self._renewal: Renewal | None = None
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection | None:
        """The connection that is shown."""
        return self._connection

    @property
    def is_taken(self) -> bool:
        """Whether a connection or a file is shown."""
        return bool(self._shown)

    def prepare(self) -> None:
        """Imports the pages of a connection while its service is being asked."""
        # Opening the connection imports again and reports the error.
        self._tasks.start(_PREPARE, self._setting.pages.load_workspace(), on_error=lambda _error: None)

    def open(self, way: Way, on_error: Handler) -> None:
        """Shows the connection to which ``way`` leads; ``on_error`` is told why there is none."""
        self._begin(lambda name: self._show(name, way), on_error)

    def open_file(self, way: FileWay, on_error: Handler) -> None:
        """Shows the model file to which ``way`` leads; ``on_error`` is told why there is none."""
        self._begin(lambda name: self._show_file(name, way), on_error)

    def give_up(self) -> None:
        """Ends an attempt that has not led to a connection yet."""
        self._tasks.cancel(self._trying)

    def leave(self) -> None:
        """Ends the connection, or closes the file."""
        self.give_up()
        self._tasks.cancel(self._shown)
        self._shown = ""
        self.left.emit()

    def sign_in(self) -> None:
        """Signs in again, for somebody who has put it off."""
        if self._renewal is not None:
            self._renewal.start()

    def _begin(self, show: Callable[[str], Work], on_error: Handler) -> None:
        self.give_up()
        self._trying = name = next(self._names)

        def failed(error: Exception) -> None:
            if name == self._shown:
                self._shown = ""
                self.broken.emit(error)
            else:
                on_error(error)

        self._tasks.start(name, show(name), on_error=failed)

    async def _show(self, name: str, way: Way) -> None:
        self.prepare()

        async def stay(work: Tasks) -> None:
            await self._open(connection, work)
            await self._stay(connection)

        async with way as connection:
            await self._setting.pages.load_workspace()
            await self._take_place(name, stay)

    async def _show_file(self, name: str, way: FileWay) -> None:
        async def stay(work: Tasks) -> None:
            await self._open_file(opened, work)
            await _for_ever()

        async with way as opened:
            await self._take_place(name, stay)

    async def _take_place(self, name: str, stay: Callable[[Tasks], Awaitable[None]]) -> None:
        """Ends what was shown, and shows something else for as long as it stays."""
        before, self._shown, self._trying = self._shown, name, ""
        self._tasks.cancel(before)
        async with self._turn:
            try:
                # Work that is given up may have a last word for its pane, which goes only afterwards.
                async with Tasks(self._setting.report) as work:
                    await stay(work)
            finally:
                self._renewal = self._connection = None
                self._window.notice.hide()
                self._window.leave()

    async def _open_file(self, opened: OpenedFile, work: Tasks) -> None:
        setting, window = self._setting, self._window
        pane = await setting.pages.model_page(window.page_context)
        window.notice.hide()
        window.open_model(pane.page, opened.path.name)
        work.running_changed.connect(window.status.show_running)
        window.status.cancel_requested.connect(work.give_up)
        pane.begin(opened, work)

    async def _open(self, connection: Connection, work: Tasks) -> None:
        setting, window, entry = self._setting, self._window, connection.entry
        self._connection = connection
        workspace = await setting.pages.workspace(window.page_context, work, setting.words)
        window.actions_by_name.set_possible("sign_in", possible=False)
        window.open(workspace, connection.session, entry.title, entry.colour)
        await asyncio.sleep(0)
        self._renewal = self._renewing(connection, work, workspace)
        connection.client.renew_with(self._renewal)
        await asyncio.sleep(0)
        workspace.begin(connection.client, connection.session, setting.home or connection.home)
        workspace.sign_in_requested.connect(self._renewal.start)
        workspace.answered.connect(window.status.show_latency)
        workspace.away.connect(window.status.show_away)
        work.running_changed.connect(window.status.show_running)
        window.status.cancel_requested.connect(work.give_up)
        self.opened.emit(workspace)
        work.start(_REST, self._make_rest(workspace))

    async def _make_rest(self, workspace: Panes) -> None:
        """The page of the schema comes after the rows, unless it is the one that somebody looks at."""
        if not self._window.actions_by_name["schema"].isChecked():
            await workspace.has_shown_rows()
        await self._setting.pages.load_schema()
        workspace.make_rest()

    def _renewing(self, connection: Connection, work: Tasks, workspace: Panes) -> Renewal:
        setting, entry = self._setting, connection.entry
        sheet = SignInSheet(setting.appearance, entry, self._window)

        def renewed(session: Session) -> None:
            self._window.actions_by_name.set_possible("sign_in", possible=False)
            self._window.notice.hide()
            self._window.show_session(session)
            workspace.renew(session)

        renewal = Renewal(connection, sheet, work, setting.words, setting.memory.secrets)
        renewal.asked.connect(self._show_signed_out)
        renewal.asked.connect(workspace.sign_out)
        renewal.renewed.connect(renewed)
        renewal.declined.connect(self._tell_signed_out)
        renewal.held.connect(self._show_signed_out)
        renewal.held.connect(workspace.sign_out)
        renewal.held.connect(self._tell_storm)
        renewal.resumed.connect(workspace.resume)
        renewal.left.connect(self.leave)
        workspace.feed.destroyed.connect(sheet.deleteLater)
        return renewal

    async def _stay(self, connection: Connection) -> None:
        if connection.server is None:
            await _for_ever()
            return
        if connection.server.folder.is_copy:
            self._tell_copy()
        await connection.server.watch(self._tell_server)

    def _show_signed_out(self) -> None:
        self._window.actions_by_name.set_possible("sign_in", possible=True)
        self._window.status.show_signed_out()

    def _tell_signed_out(self) -> None:
        key = key_of(self._window.actions_by_name["sign_in"])
        text = _("The session has expired. Loaded data stays visible; press %1 to sign in again.")
        self._window.notice.show_notice("warning", _("Signed out"), text.replace("%1", key))

    def _tell_storm(self) -> None:
        key = key_of(self._window.actions_by_name["sign_in"])

        def say() -> Sentence:
            said = self._setting.words(SessionStormError())
            return msgspec.structs.replace(said, text=f"{said.text} {said.remedy.replace('%1', key)}")

        self._window.notice.show_words("warning", say)

    def _tell_copy(self) -> None:
        text = _(
            "The demo is open in another window. This window uses a temporary copy, "
            "which is deleted when it closes."
        )
        self._window.notice.show_notice("accent", _("A copy of the demo"), text)

    def _tell_server(self, phase: Phase) -> None:
        if phase == "running":
            self._window.notice.hide()
            return
        text = _("It stopped unexpectedly and is being restarted. Nothing it had confirmed is lost.")
        self._window.notice.show_notice("warning", _("Restarting the demo service"), text)


async def _for_ever() -> None:
    await asyncio.get_running_loop().create_future()


def _(text: str) -> str:
    return QCoreApplication.translate("Desk", text)
