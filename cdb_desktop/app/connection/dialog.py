"""The controller of the connection dialog: shows, tests, checks and forgets profiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.connect import NetworkAccess, probe
from cdb_desktop.app.connection.network_controller import NetworkController
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
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.connection.messages import describe_session
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message

if TYPE_CHECKING:
    from cdb_desktop.ui.connection import dialog as connection_dialog
else:
    connection_dialog = lazy("cdb_desktop.ui.connection.dialog")

_TEST, _LOOK_UP, _FORGET, _CHECK, _FORGET_LOGIN = (
    f"connection_dialog.{name}" for name in ("test", "look_up", "forget", "check", "forget_proxy_login")
)
_ADDRESS_ERRORS = (UnreachableError, SlowAnswerError, AnswerError)


class ConnectionDialogController(QObject):
    """Creates the connection dialog when it is first opened. Connections are opened by the owner.

    Signals: ``submitted`` with the ConnectionInput to connect · ``cancelled`` when that attempt is to end ·
    ``forgotten`` when a profile has been removed.
    """

    submitted = Signal(object)
    cancelled = Signal()
    forgotten = Signal()

    def __init__(
        self,
        window: MainWindow,
        store: ConnectionStore,
        tasks: Tasks,
        network: NetworkController,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._network = network
        self._refused: tuple[ConnectionProfile, CertificateError] | None = None
        self._repeat: Callable[[ConnectionInput], None] = self._connect
        self._store = store
        self._tasks = tasks
        network.certificate_shown.connect(self._certificate_shown)
        network.authority_requested.connect(self._choose_authority)

    @property
    def is_open(self) -> bool:
        """Whether the dialog is visible."""
        return "_dialog" in self.__dict__ and self._dialog.isVisible()

    def open_new(self) -> None:
        """Opens the dialog with an empty profile."""
        self.open(ConnectionProfile(""))

    def open(self, profile: ConnectionProfile) -> None:
        """Opens the dialog with ``profile``, and marks the password if it is stored."""
        self._show(profile)
        self._tasks.start(_LOOK_UP, self._look_up_passwords(profile))

    def show_failure(self, profile: ConnectionProfile, error: Exception) -> None:
        """Shows at its field why ``profile`` could not be opened."""
        if not self.is_open:
            self._show(profile)
        self._refused = (profile, error) if isinstance(error, CertificateError) else None
        has_certificate = self._refused is not None
        self._dialog.show_failure(field_of(error), error_message(error), has_certificate=has_certificate)

    def hide(self) -> None:
        """Closes the dialog after the connection has been opened."""
        if self.is_open:
            self._dialog.hide()

    def forget(self, profile: ConnectionProfile) -> None:
        """Removes a profile and its passwords from the store."""
        self._store.file.forget(profile)
        self._tasks.start(f"{_FORGET}.{profile.key}", self._store.forget(profile))
        if self.is_open:
            self._dialog.show_profiles(self._store.file.profiles)
        self.forgotten.emit()

    @cached_property
    def _dialog(self) -> connection_dialog.ConnectionDialog:
        dialog = connection_dialog.ConnectionDialog(self._window.page_context.appearance, self._window)
        dialog.connect_requested.connect(self._connect)
        dialog.test_requested.connect(self._test)
        dialog.chosen.connect(self.open)
        dialog.forgotten.connect(self.forget)
        dialog.cancel_requested.connect(self._cancel)
        dialog.check_requested.connect(self._check)
        dialog.certificate_requested.connect(self._show_certificate)
        dialog.form.network.forget_login_requested.connect(self._forget_proxy_login)
        return dialog

    def _show(self, profile: ConnectionProfile) -> None:
        if not self.is_open:
            self._dialog.show_profiles(self._store.file.profiles)
        self._dialog.open_profile(profile)

    async def _look_up_passwords(self, profile: ConnectionProfile) -> None:
        form, passwords = self._dialog.form, self._store.passwords
        form.show_keyring(lasting=await passwords.are_lasting())
        kept = bool(profile.login and await passwords.password(profile.key))
        has_certificate = bool(profile.network.certificate)
        is_kept = has_certificate and bool(await passwords.password(profile.passphrase_key))
        proxy_user = await self._network.proxy_user(profile) if profile.address else ""
        if form.entered.profile.key == profile.key:
            form.show_kept(kept=kept)
            form.network.show_kept(kept=is_kept)
            form.network.show_proxy_login(proxy_user)

    def _forget_proxy_login(self) -> None:
        profile = self._dialog.form.entered.profile
        self._tasks.start(_FORGET_LOGIN, self._network.forget_proxy_login(profile))

    def _connect(self, entered: ConnectionInput) -> None:
        self._begin(self._connect)
        self._dialog.show_busy(tr("Signing in at {address}…", address=entered.profile.address))
        self.submitted.emit(entered)

    def _test(self, entered: ConnectionInput) -> None:
        self._begin(self._test)
        self._dialog.show_busy(tr("Testing the connection…"))
        failed = partial(self.show_failure, entered.profile)
        self._tasks.start(_TEST, self._probe(entered), on_error=failed)

    async def _probe(self, entered: ConnectionInput) -> None:
        password = entered.password or await self._store.passwords.password(entered.profile.key)
        access = NetworkAccess(await self._network.options(entered), self._network.ask)
        self._dialog.show_outcome(describe_session(await probe(entered.profile, password, access)))

    def _begin(self, repeat: Callable[[ConnectionInput], None]) -> None:
        self._tasks.cancel(_CHECK)
        self._network.forget_declined()
        self._repeat = repeat

    def _check(self, entered: ConnectionInput) -> None:
        """Checks certificate files as soon as they have been chosen."""
        network = entered.profile.network
        if network.certificate or network.authority:
            self._tasks.start(_CHECK, self._check_files(entered))

    async def _check_files(self, entered: ConnectionInput) -> None:
        error = await self._network.check(entered)
        fields = self._dialog.form.network
        if (
            error is None
            or entered.profile.network != fields.network
            or entered.passphrase != fields.passphrase
        ):
            return
        message = error_message(error)
        # A field that has not been filled in yet is not an error.
        is_missing = error.problem == "no_key" or (error.option, error.problem) == ("passphrase", "missing")
        fields.mark(
            error.option,
            "muted" if is_missing else "danger",
            f"{message.title}. {message.text} {message.remedy}",
        )

    def _show_certificate(self) -> None:
        if self._refused is not None:
            profile, error = self._refused
            self._dialog.show_busy(tr("Fetching the certificate…"))
            self._network.show_certificate(profile, error, self._trust, partial(self.show_failure, profile))

    def _certificate_shown(self) -> None:
        """Shows the failure in the form again, behind the dialog of the certificate."""
        if self.is_open and self._refused is not None:
            self.show_failure(*self._refused)

    def _trust(self, profile: ConnectionProfile) -> None:
        """Repeats what failed, with the certificate that is trusted now."""
        self._dialog.form.network.show_trusted(profile.network)
        self._repeat(self._dialog.form.entered)

    def _choose_authority(self, profile: ConnectionProfile) -> None:
        if not self.is_open:
            self.open(profile)
        self._dialog.form.network.choose_file("authority")

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
