"""Opens connections on request of the start page, the connection dialog and the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.connect import Connection, NetworkAccess, demo_connection, service_connection
from cdb_desktop.app.connection.dialog import ConnectionDialogController
from cdb_desktop.app.connection.network_controller import NetworkController
from cdb_desktop.app.connection.open_file import OpenFileController
from cdb_desktop.app.connection.open_link import LinkController
from cdb_desktop.app.connection.others import RememberedConnections
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.options import Options
from cdb_desktop.client import (
    CertificateError,
    ClientCertificateError,
    LoginRefusedError,
    NetworkOptionsError,
    ProxyLoginError,
)
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message

_OPEN, _KEEP = "connection_controller.open", "connection_controller.keep"
_FORM_ERRORS = (NetworkOptionsError, ClientCertificateError)  # to be corrected in the form


class ConnectionController(QObject):
    """Opens the demo, services and the connection of the last time.

    Signals: ``failed`` with the ErrorMessage of a failed connection · ``input_required`` when a
    dialog was opened because login or password is missing.
    """

    failed = Signal(object)
    input_required = Signal()

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._tasks = tasks
        self._context = context
        self._store = context.store
        self._network = NetworkController(window, self._store, tasks)
        self._dialog = ConnectionDialogController(window, self._store, tasks, self._network)
        context.pages.connections = RememberedConnections(self._store, self._network)
        self._refused_certificate: tuple[ConnectionProfile, str, CertificateError] | None = None
        self._links = LinkController(window, session, context)
        self._files = OpenFileController(window, session, tasks, context, self._links.open)
        self._again: Callable[[], None] = self.open_demo
        self._connect_signals()
        self._show_profiles()

    def start(self, options: Options, early: EmbeddedServer | None = None) -> None:
        """Opens what the command line names, else the last connection, else shows the choices."""
        profiles = self._store.file.profiles
        if options.view:
            self._files.open(Path(options.view))
        if options.link:
            self._links.open(options.link)
        elif options.demo:
            self.open_demo(early)
        elif options.server:
            self.open_profile(self._store.profile(options.server, options.login), options.password)
        elif options.model:
            self._window.start.show_choices()
            self._files.open(Path(options.model))
        elif options.log:
            self._window.start.show_choices()
            self._files.open(Path(options.log))
        elif profiles and not options.restarted:
            self.open_profile(profiles[0])
        else:
            self._window.start.show_choices()

    def open_demo(self, early: EmbeddedServer | None = None) -> None:
        """Opens the demo; ``early`` is its server, if that has been started already."""
        self._again = self.open_demo
        text = tr("Starting the demo service. The first start creates its data, which takes a few seconds.")
        self._show_connecting(text)
        self._session.open(self._demo(early), self._show_failure)

    def open_profile(self, profile: ConnectionProfile, given: str = "") -> None:
        """Opens a service with the password ``given``, else the stored one, else opens the dialog."""
        self._again = partial(self.open_profile, profile, given)
        self._network.forget_declined()
        self._show_connecting(tr("Signing in at {address}.", address=profile.address))
        self._session.preload()
        self._tasks.start(_OPEN, self._open_with_stored_password(profile, given))

    async def _open_with_stored_password(self, profile: ConnectionProfile, given: str) -> None:
        # The keyring is imported only if it is needed: that takes as long as the sign-in itself.
        password = profile.login and (given or await self._store.passwords.password(profile.key))
        if password:
            self._open(ConnectionInput(profile, password), given)
        else:
            self._show_choices()
            self._dialog.open(profile)
            self.input_required.emit()

    async def _look_up_password(self, entered: ConnectionInput) -> None:
        password = await self._store.passwords.password(entered.profile.key)
        self._open(replace(entered, password=password))

    def _open_input(self, entered: ConnectionInput) -> None:
        self._again = partial(self.open_profile, entered.profile)
        if entered.password:
            self._open(entered)
        else:
            self._tasks.start(_OPEN, self._look_up_password(entered))

    def _open(self, entered: ConnectionInput, given: str = "") -> None:
        self._session.open(self._service(entered, given), partial(self._show_refused, entered.profile, given))

    @asynccontextmanager
    async def _demo(self, early: EmbeddedServer | None) -> AsyncIterator[Connection]:
        async with demo_connection(early or demo_server(self._context.demo)) as connection:
            yield connection

    @asynccontextmanager
    async def _service(self, entered: ConnectionInput, given: str) -> AsyncIterator[Connection]:
        async def remembered() -> str:
            return given or await self._store.passwords.password(entered.profile.key)

        access = NetworkAccess(await self._network.options(entered), self._network.ask)
        async with service_connection(entered.profile, entered.password, remembered, access) as connection:
            self._store.note(connection.profile)
            # In a separate task: the keyring may have to be unlocked.
            self._tasks.start(_KEEP, self._store.keep(entered))
            self._dialog.hide()
            self._show_profiles()
            yield connection

    def _show_refused(self, profile: ConnectionProfile, given: str, error: Exception) -> None:
        message = error_message(error)
        is_certificate = isinstance(error, CertificateError)
        self._refused_certificate = (profile, given, error) if isinstance(error, CertificateError) else None
        if self._dialog.is_open:
            self._dialog.show_failure(profile, error)
        elif isinstance(error, LoginRefusedError):
            self._show_choices()
            self._dialog.show_failure(profile, error)
        elif isinstance(error, _FORM_ERRORS) or (is_certificate and self._session.is_active):
            # The open connection stays, so the dialog shows the certificate, not the start page.
            self._show_choices()
            self._dialog.open(profile)
            self._dialog.show_failure(profile, error)
        elif is_certificate:
            self._window.start.show_failure(message, has_certificate=True)
        else:
            self._show_failure(error)
            return
        self.failed.emit(message)

    def _show_certificate(self) -> None:
        if self._refused_certificate is not None:
            profile, given, error = self._refused_certificate
            self._network.show_certificate(
                profile, error, lambda one: self.open_profile(one, given), self._show_failure
            )

    def _notify_proxy(self, error: ProxyLoginError) -> None:
        """With an open connection, the action to sign in opens the dialog of the proxy again."""
        actions = self._window.actions_by_name
        if self._session.is_active:
            actions.set_possible("sign_in", possible=True)
            message = error_message(error)
            text = tr("{shortcut} opens the sign-in again.", shortcut=key_of(actions["sign_in"]))
            self._window.notice.show_notice("warning", message.title, f"{message.text} {text}")

    def _show_failure(self, error: Exception) -> None:
        message = error_message(error)
        if self._session.is_active:
            self._window.notice.show_failure(message)
        else:
            self._window.start.show_failure(message)
        self.failed.emit(message)

    def _show_connecting(self, text: str) -> None:
        if self._session.is_active:
            self._window.notice.show_notice("accent", tr("Connecting"), text)
        else:
            actions = self._window.actions_by_name
            # The start page replaces both pages of a connection: the last one is shown again.
            if not actions["schema"].isChecked():
                actions["events"].setChecked(True)
            self._window.start.show_connecting(tr("Connecting"), text)

    def _open_demo(self) -> None:
        self.open_demo()

    def _try_again(self) -> None:
        self._again()

    def _cancel(self) -> None:
        self._tasks.cancel(_OPEN)
        self._session.cancel()

    def _show_choices(self) -> None:
        self._cancel()
        self._window.start.show_choices()

    def _show_profiles(self) -> None:
        self._window.start.choices.show_profiles(self._store.file.profiles)

    def _connect_signals(self) -> None:
        start, actions, dialog = self._window.start, self._window.actions_by_name, self._dialog
        actions["demo"].triggered.connect(self._open_demo)
        actions["connect"].triggered.connect(dialog.open_new)
        actions["disconnect"].triggered.connect(self._session.close)
        actions["sign_in"].triggered.connect(self._network.forget_declined)
        actions["sign_in"].triggered.connect(self._session.sign_in)
        self._network.proxy_login_requested.connect(self.input_required)
        self._network.proxy_login_declined.connect(self._notify_proxy)
        start.certificate_requested.connect(self._show_certificate)
        start.again_requested.connect(self._try_again)
        start.back_requested.connect(self._show_choices)
        start.choices.opened.connect(self.open_profile)
        start.choices.changed.connect(dialog.open)
        start.choices.forgotten.connect(dialog.forget)
        dialog.submitted.connect(self._open_input)
        dialog.cancelled.connect(self._cancel)
        dialog.forgotten.connect(self._show_profiles)
        self._links.connection_requested.connect(self.open_profile)
        self._links.new_requested.connect(dialog.open_new)
        self._files.started.connect(self._cancel)
        self._files.failed.connect(self.failed)
        self._session.closed.connect(self._show_choices)
        self._session.failed.connect(self._show_failure)
