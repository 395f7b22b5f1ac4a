"""The controller of the connection dialog: shows, tests, checks and forgets entries of the store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.connect import NetworkAccess, probe
from cdb_desktop.app.connection.network import NetworkController
from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.client import (
    AnswerError,
    CertificateError,
    ClientCertificateError,
    LoginRefusedError,
    NetworkOptionsError,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.dialog import ConnectionSheet
from cdb_desktop.ui.connection.messages import describe_session
from cdb_desktop.ui.connection.profile import Entry, Filled
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import DescribeError

_TEST, _LOOK_UP, _FORGET, _CHECK = (
    f"connection_dialog.{name}" for name in ("test", "look_up", "forget", "check")
)
_ADDRESS_ERRORS = (UnreachableError, SlowAnswerError, AnswerError)


class ConnectionDialogController(QObject):
    """Serves the connection dialog; connections are opened by its owner.

    Signals: ``filled`` with a Filled that is to be connected · ``cancelled`` when that attempt is to end ·
    ``forgotten`` when an entry has been removed.
    """

    filled = Signal(object)
    cancelled = Signal()
    forgotten = Signal()

    def __init__(
        self,
        sheet: ConnectionSheet,
        store: ConnectionStore,
        tasks: Tasks,
        words: DescribeError,
        network: NetworkController,
    ) -> None:
        super().__init__(sheet)
        self._network = network
        self._refused: tuple[Entry, CertificateError] | None = None
        self._repeat: Callable[[Filled], None] = self._connect
        self._sheet = sheet
        self._store = store
        self._tasks = tasks
        self._words = words
        sheet.connect_requested.connect(self._connect)
        sheet.test_requested.connect(self._test)
        sheet.chosen.connect(self.open)
        sheet.forgotten.connect(self.forget)
        sheet.given_up.connect(self._cancel)
        sheet.check_requested.connect(self._check)
        sheet.certificate_requested.connect(self._show_certificate)
        network.certificate_shown.connect(self._certificate_shown)
        network.authority_requested.connect(self._choose_authority)

    @property
    def is_open(self) -> bool:
        """Whether the dialog is visible."""
        return self._sheet.isVisible()

    def open_new(self) -> None:
        """Opens the dialog with an empty entry."""
        self.open(Entry(""))

    def open(self, entry: Entry) -> None:
        """Opens the dialog with ``entry``, and marks the password if it is stored."""
        self._show(entry)
        self._tasks.start(_LOOK_UP, self._look_up_secrets(entry))

    def show_failure(self, entry: Entry, error: Exception) -> None:
        """Shows at its field why ``entry`` could not be opened."""
        if not self.is_open:
            self._show(entry)
        self._refused = (entry, error) if isinstance(error, CertificateError) else None
        has_certificate = self._refused is not None
        self._sheet.show_failure(field_of(error), self._words(error), has_certificate=has_certificate)

    def hide(self) -> None:
        """Closes the dialog after the connection has been opened."""
        self._sheet.hide()

    def forget(self, entry: Entry) -> None:
        """Removes an entry and its passwords from the store."""
        self._store.file.forget(entry)
        self._tasks.start(f"{_FORGET}.{entry.key}", self._store.forget(entry))
        self._sheet.show_entries(self._store.file.entries)
        self.forgotten.emit()

    def _show(self, entry: Entry) -> None:
        if not self.is_open:
            self._sheet.show_entries(self._store.file.entries)
        self._sheet.ask(entry)

    async def _look_up_secrets(self, entry: Entry) -> None:
        form, secrets = self._sheet.form, self._store.secrets
        form.show_keyring(lasting=await secrets.are_lasting())
        kept = bool(entry.login and await secrets.password(entry.key))
        has_certificate = bool(entry.network.certificate)
        is_kept = has_certificate and bool(await secrets.password(entry.passphrase_key))
        if form.filled.entry.key == entry.key:
            form.show_kept(kept=kept)
            form.network.show_kept(kept=is_kept)

    def _connect(self, filled: Filled) -> None:
        self._begin(self._connect)
        self._sheet.show_busy(tr("Signing in at {address}…", address=filled.entry.address))
        self.filled.emit(filled)

    def _test(self, filled: Filled) -> None:
        self._begin(self._test)
        self._sheet.show_busy(tr("Testing the connection…"))
        failed = partial(self.show_failure, filled.entry)
        self._tasks.start(_TEST, self._probe(filled), on_error=failed)

    async def _probe(self, filled: Filled) -> None:
        password = filled.password or await self._store.secrets.password(filled.entry.key)
        access = NetworkAccess(await self._network.options(filled), self._network.ask)
        self._sheet.show_outcome(describe_session(await probe(filled.entry, password, access)))

    def _begin(self, repeat: Callable[[Filled], None]) -> None:
        self._tasks.cancel(_CHECK)
        self._network.forget_declined()
        self._repeat = repeat

    def _check(self, filled: Filled) -> None:
        """Checks certificate files as soon as they have been chosen."""
        network = filled.entry.network
        if network.certificate or network.authority:
            self._tasks.start(_CHECK, self._check_files(filled))

    async def _check_files(self, filled: Filled) -> None:
        error = await self._network.check(filled)
        fields = self._sheet.form.network
        if error is None or filled.entry.network != fields.network or filled.passphrase != fields.passphrase:
            return
        message = self._words(error)
        # A field that has not been filled in yet is not an error.
        is_missing = error.problem == "no_key" or (error.option, error.problem) == ("passphrase", "missing")
        fields.mark(
            error.option,
            "muted" if is_missing else "danger",
            f"{message.title}. {message.text} {message.remedy}",
        )

    def _show_certificate(self) -> None:
        if self._refused is not None:
            entry, error = self._refused
            self._sheet.show_busy(tr("Fetching the certificate…"))
            self._network.show_certificate(entry, error, self._trust, partial(self.show_failure, entry))

    def _certificate_shown(self) -> None:
        """Shows the failure in the form again, behind the dialog of the certificate."""
        if self.is_open and self._refused is not None:
            self.show_failure(*self._refused)

    def _trust(self, entry: Entry) -> None:
        """Repeats what failed, with the certificate that is trusted now."""
        self._sheet.form.network.show_trusted(entry.network)
        self._repeat(self._sheet.form.filled)

    def _choose_authority(self, entry: Entry) -> None:
        if not self.is_open:
            self.open(entry)
        self._sheet.form.network.choose_file("authority")

    def _cancel(self) -> None:
        self._tasks.cancel(_TEST)
        self.cancelled.emit()


def field_of(error: Exception) -> str:
    """The name of the field that an error belongs to, or an empty string."""
    if isinstance(error, LoginRefusedError):
        return "password"
    if isinstance(error, NetworkOptionsError):
        return error.option
    if isinstance(error, ClientCertificateError):
        return "certificate"
    if isinstance(error, UnreachableError) and error.kind == "proxy":
        return "proxy"
    return "address" if isinstance(error, _ADDRESS_ERRORS) else ""
