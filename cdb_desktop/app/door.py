"""The ways in: what start page, sheet and command line ask for becomes a connection. Knows no pane."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.app.asking import Asking
from cdb_desktop.app.connect import Access, Connection, demo_connection, service_connection
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.models import Models
from cdb_desktop.app.network import NetworkController
from cdb_desktop.app.options import Options
from cdb_desktop.client import (
    CertificateError,
    ClientCertificateError,
    LoginRefusedError,
    NetworkOptionsError,
    ProxyLoginError,
)
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.connection_sheet import ConnectionSheet
from cdb_desktop.ui.connection.entry import Entry, Filled
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.window.main_window import MainWindow

_WAY, _KEEP = "door.way", "door.keep"
_OF_FORM = (NetworkOptionsError, ClientCertificateError)  # put right in the form


class Door(QObject):
    """Leads to the desk.

    Signals: ``failed`` with the Sentence why a way did not lead to a connection · ``asked`` when the sheet
    was opened because something is missing.
    """

    failed = Signal(object)
    asked = Signal()

    def __init__(self, window: MainWindow, desk: Desk, tasks: Tasks, setting: Setting) -> None:
        super().__init__(window)
        self._window = window
        self._desk = desk
        self._tasks = tasks
        self._setting = setting
        self._memory = setting.memory
        sheet = ConnectionSheet(setting.appearance, window)
        self._network = NetworkController(window, setting.appearance, self._memory, tasks, setting.words)
        self._asking = Asking(sheet, self._memory, tasks, setting.words, self._network)
        self._refused_certificate: tuple[Entry, str, CertificateError] | None = None
        self._models = Models(window, desk, setting)
        self._again: Callable[[], None] = self.open_demo
        self._wire()
        self._show_entries()

    def begin(self, options: Options, early: EmbeddedServer | None = None) -> None:
        """Goes the way that the command line names, else to the last connection, else shows the choices."""
        known = self._memory.known.entries
        if options.view:
            self._models.open(Path(options.view))
        if options.demo:
            self.open_demo(early)
        elif options.server:
            self.open_entry(self._memory.entry(options.server, options.login), options.password)
        elif options.model:
            self._window.start.show_choices()
            self._models.open(Path(options.model))
        elif known:
            self.open_entry(known[0])
        else:
            self._window.start.show_choices()

    def open_demo(self, early: EmbeddedServer | None = None) -> None:
        """Opens the demo, for which the server ``early`` may have been started already."""
        self._again = self.open_demo
        told = _("Starting the demo service. The first start creates its data, which takes a few seconds.")
        self._tell(told)
        self._desk.open(self._demo(early), self._failed)

    def open_entry(self, entry: Entry, given: str = "") -> None:
        """Opens a service with the password ``given``, else the remembered one, else asks for it."""
        self._again = partial(self.open_entry, entry, given)
        self._network.begin()
        self._tell(_("Signing in at %1.").replace("%1", entry.address))
        self._desk.prepare()
        self._tasks.start(_WAY, self._find(entry, given))

    async def _find(self, entry: Entry, given: str) -> None:
        # A keyring that need not be asked is not even loaded: that takes as long as the sign-in itself.
        password = entry.login and (given or await self._memory.secrets.password(entry.key))
        if password:
            self._open(Filled(entry, password), given)
        else:
            self._back()
            self._asking.ask(entry)
            self.asked.emit()

    async def _find_remembered(self, filled: Filled) -> None:
        password = await self._memory.secrets.password(filled.entry.key)
        self._open(replace(filled, password=password))

    def _take(self, filled: Filled) -> None:
        self._again = partial(self.open_entry, filled.entry)
        if filled.password:
            self._open(filled)
        else:
            self._tasks.start(_WAY, self._find_remembered(filled))

    def _open(self, filled: Filled, given: str = "") -> None:
        self._desk.open(self._service(filled, given), partial(self._refused, filled.entry, given))

    @asynccontextmanager
    async def _demo(self, early: EmbeddedServer | None) -> AsyncIterator[Connection]:
        async with demo_connection(early or demo_server(self._setting.demo)) as connection:
            yield connection

    @asynccontextmanager
    async def _service(self, filled: Filled, given: str) -> AsyncIterator[Connection]:
        async def remembered() -> str:
            return given or await self._memory.secrets.password(filled.entry.key)

        access = Access(await self._network.options(filled), self._network.ask)
        async with service_connection(filled.entry, filled.password, remembered, access) as connection:
            self._memory.note(connection.entry)
            # Not waited for: a keyring may ask to be unlocked.
            self._tasks.start(_KEEP, self._memory.keep(filled))
            self._asking.finish()
            self._show_entries()
            yield connection

    def _refused(self, entry: Entry, given: str, error: Exception) -> None:
        said = self._setting.words(error)
        is_certificate = isinstance(error, CertificateError)
        self._refused_certificate = (entry, given, error) if isinstance(error, CertificateError) else None
        if self._asking.is_open:
            self._asking.refuse(entry, error)
        elif isinstance(error, LoginRefusedError):
            self._back()
            self._asking.refuse(entry, error)
        elif isinstance(error, _OF_FORM) or (is_certificate and self._desk.is_taken):
            # Over a connection that goes on, the sheet is the place to look at a certificate.
            self._back()
            self._asking.ask(entry)
            self._asking.refuse(entry, error)
        elif is_certificate:
            self._window.start.show_failure(said, has_certificate=True)
        else:
            self._failed(error)
            return
        self.failed.emit(said)

    def _show_certificate(self) -> None:
        if self._refused_certificate is not None:
            entry, given, error = self._refused_certificate
            self._network.show_certificate(
                entry, error, lambda one: self.open_entry(one, given), self._failed
            )

    def _tell_proxy(self, error: ProxyLoginError) -> None:
        """Over a connection, the way back to the sheet is that of signing in."""
        actions = self._window.actions_by_name
        if self._desk.is_taken:
            actions.set_possible("sign_in", possible=True)
            said = self._setting.words(error)
            text = _("%1 opens the sign-in again.").replace("%1", key_of(actions["sign_in"]))
            self._window.notice.show_notice("warning", said.title, f"{said.text} {text}")

    def _failed(self, error: Exception) -> None:
        said = self._setting.words(error)
        if self._desk.is_taken:
            self._window.notice.show_failure(said)
        else:
            self._window.start.show_failure(said)
        self.failed.emit(said)

    def _tell(self, told: str) -> None:
        if self._desk.is_taken:
            self._window.notice.show_notice("accent", _("Connecting"), told)
        else:
            actions = self._window.actions_by_name
            # The start page stands in place of both pages of a connection: the one of last time comes back.
            if not actions["schema"].isChecked():
                actions["events"].setChecked(True)
            self._window.start.show_connecting(_("Connecting"), told)

    def _open_demo(self) -> None:
        self.open_demo()

    def _try_again(self) -> None:
        self._again()

    def _give_up(self) -> None:
        self._tasks.cancel(_WAY)
        self._desk.give_up()

    def _back(self) -> None:
        self._give_up()
        self._window.start.show_choices()

    def _show_entries(self) -> None:
        self._window.start.choices.show_entries(self._memory.known.entries)

    def _wire(self) -> None:
        start, actions, asking = self._window.start, self._window.actions_by_name, self._asking
        actions["demo"].triggered.connect(self._open_demo)
        actions["connect"].triggered.connect(asking.begin)
        actions["disconnect"].triggered.connect(self._desk.leave)
        actions["sign_in"].triggered.connect(self._network.begin)
        actions["sign_in"].triggered.connect(self._desk.sign_in)
        self._network.asked.connect(self.asked)
        self._network.declined.connect(self._tell_proxy)
        start.certificate_requested.connect(self._show_certificate)
        start.again_requested.connect(self._try_again)
        start.back_requested.connect(self._back)
        start.choices.opened.connect(self.open_entry)
        start.choices.changed.connect(asking.ask)
        start.choices.forgotten.connect(asking.forget)
        asking.filled.connect(self._take)
        asking.given_up.connect(self._give_up)
        asking.forgotten.connect(self._show_entries)
        self._models.begun.connect(self._give_up)
        self._models.failed.connect(self.failed)
        self._desk.left.connect(self._back)
        self._desk.broken.connect(self._failed)


def _(text: str) -> str:
    return QCoreApplication.translate("Desk", text)
