"""Brings the sheet of a connection together with what is remembered; opens no connection itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Signal

from cdb_desktop.app.connect import Access, probe
from cdb_desktop.app.memory import Memory
from cdb_desktop.app.network import NetworkController
from cdb_desktop.client import (
    AnswerError,
    CertificateError,
    ClientCertificateError,
    LoginRefusedError,
    NetworkOptionsError,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.ui.connection.connection_sheet import ConnectionSheet
from cdb_desktop.ui.connection.entry import Entry, Filled
from cdb_desktop.ui.connection.phrases import answer_of
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Words

_TEST, _LOOK, _FORGET, _CHECK = "asking.test", "asking.look", "asking.forget", "asking.check"
_OF_ADDRESS = (UnreachableError, SlowAnswerError, AnswerError)


class Asking(QObject):
    """Signals: ``filled`` with a Filled that is to be connected · ``given_up`` when that is to end ·
    ``forgotten`` when an entry is remembered no longer.
    """

    filled = Signal(object)
    given_up = Signal()
    forgotten = Signal()

    def __init__(
        self,
        sheet: ConnectionSheet,
        memory: Memory,
        tasks: Tasks,
        words: Words,
        network: NetworkController,
    ) -> None:
        super().__init__(sheet)
        self._network = network
        self._refused: tuple[Entry, CertificateError] | None = None
        self._repeat: Callable[[Filled], None] = self._connect
        self._sheet = sheet
        self._memory = memory
        self._tasks = tasks
        self._words = words
        sheet.connect_requested.connect(self._connect)
        sheet.test_requested.connect(self._test)
        sheet.chosen.connect(self.ask)
        sheet.forgotten.connect(self.forget)
        sheet.given_up.connect(self._give_up)
        sheet.check_requested.connect(self._check)
        sheet.certificate_requested.connect(self._show_certificate)
        network.shown.connect(self._certificate_shown)
        network.authority_requested.connect(self._choose_authority)

    @property
    def is_open(self) -> bool:
        """Whether the sheet is there to take what went wrong."""
        return self._sheet.isVisible()

    def begin(self) -> None:
        """Asks for a connection that is not known yet."""
        self.ask(Entry(""))

    def ask(self, entry: Entry) -> None:
        """Asks for what is missing to open ``entry``, and for its password unless that is remembered."""
        self._open(entry)
        self._tasks.start(_LOOK, self._look(entry))

    def refuse(self, entry: Entry, error: Exception) -> None:
        """Says at its field why ``entry`` could not be opened."""
        if not self.is_open:
            self._open(entry)
        self._refused = (entry, error) if isinstance(error, CertificateError) else None
        has_certificate = self._refused is not None
        self._sheet.show_failure(place_of(error), self._words(error), has_certificate=has_certificate)

    def finish(self) -> None:
        """The connection is there."""
        self._sheet.hide()

    def forget(self, entry: Entry) -> None:
        """Remembers an entry no longer."""
        self._memory.known.forget(entry)
        self._tasks.start(f"{_FORGET}.{entry.key}", self._memory.forget(entry))
        self._sheet.show_entries(self._memory.known.entries)
        self.forgotten.emit()

    def _open(self, entry: Entry) -> None:
        if not self.is_open:
            self._sheet.show_entries(self._memory.known.entries)
        self._sheet.ask(entry)

    async def _look(self, entry: Entry) -> None:
        form, secrets = self._sheet.form, self._memory.secrets
        form.show_keyring(lasting=await secrets.are_lasting())
        kept = bool(entry.login and await secrets.password(entry.key))
        has_certificate = bool(entry.network.certificate)
        is_kept = has_certificate and bool(await secrets.password(entry.passphrase_key))
        if form.filled.entry.key == entry.key:
            form.show_kept(kept=kept)
            form.network.show_kept(kept=is_kept)

    def _connect(self, filled: Filled) -> None:
        self._begin(self._connect)
        told = QCoreApplication.translate("Connection", "Signing in at %1…")
        self._sheet.show_busy(told.replace("%1", filled.entry.address))
        self.filled.emit(filled)

    def _test(self, filled: Filled) -> None:
        self._begin(self._test)
        self._sheet.show_busy(QCoreApplication.translate("Connection", "Testing the connection…"))
        failed = partial(self.refuse, filled.entry)
        self._tasks.start(_TEST, self._probe(filled), on_error=failed)

    async def _probe(self, filled: Filled) -> None:
        password = filled.password or await self._memory.secrets.password(filled.entry.key)
        access = Access(await self._network.options(filled), self._network.ask)
        self._sheet.show_outcome(answer_of(await probe(filled.entry, password, access)))

    def _begin(self, repeat: Callable[[Filled], None]) -> None:
        self._tasks.cancel(_CHECK)
        self._network.begin()
        self._repeat = repeat

    def _check(self, filled: Filled) -> None:
        """Looks at the files as soon as they are named."""
        network = filled.entry.network
        if network.certificate or network.authority:
            self._tasks.start(_CHECK, self._check_files(filled))

    async def _check_files(self, filled: Filled) -> None:
        error = await self._network.check(filled)
        fields = self._sheet.form.network
        if error is None or filled.entry.network != fields.network or filled.passphrase != fields.passphrase:
            return
        said = self._words(error)
        # What has not been filled in yet is no mistake.
        is_missing = error.problem == "no_key" or (error.option, error.problem) == ("passphrase", "missing")
        fields.mark(
            error.option, "muted" if is_missing else "danger", f"{said.title}. {said.text} {said.remedy}"
        )

    def _show_certificate(self) -> None:
        if self._refused is not None:
            entry, error = self._refused
            self._sheet.show_busy(QCoreApplication.translate("Connection", "Fetching the certificate…"))
            self._network.show_certificate(entry, error, self._trust, partial(self.refuse, entry))

    def _certificate_shown(self) -> None:
        """The form below is at rest again, whatever becomes of the certificate."""
        if self.is_open and self._refused is not None:
            self.refuse(*self._refused)

    def _trust(self, entry: Entry) -> None:
        """Tries again what was refused."""
        self._sheet.form.network.show_trusted(entry.network)
        self._repeat(self._sheet.form.filled)

    def _choose_authority(self, entry: Entry) -> None:
        if not self.is_open:
            self.ask(entry)
        self._sheet.form.network.choose_file("authority")

    def _give_up(self) -> None:
        self._tasks.cancel(_TEST)
        self.given_up.emit()


def place_of(error: Exception) -> str:
    """The field that an error is about: ``address``, ``password``, one of the network, or none."""
    if isinstance(error, LoginRefusedError):
        return "password"
    if isinstance(error, NetworkOptionsError):
        return error.option
    if isinstance(error, ClientCertificateError):
        return "certificate"
    if isinstance(error, UnreachableError) and error.kind == "proxy":
        return "proxy"
    return "address" if isinstance(error, _OF_ADDRESS) else ""
