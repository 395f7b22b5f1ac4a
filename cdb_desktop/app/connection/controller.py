"""Opens connections on request of the start page, the connection dialog and the command line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace as replace_members
from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.browser import BrowserSignIn
from cdb_desktop.app.connection.connect import (
    BrowserAccess,
    Connection,
    NetworkAccess,
    demo_connection,
    look_at,
    probe,
    service_connection,
    sign_out,
)
from cdb_desktop.app.connection.network_controller import NetworkController
from cdb_desktop.app.connection.open_file import OpenFileController
from cdb_desktop.app.connection.passwords import Secrets
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.options import DEMO_INTERFACE, NEW_INTERFACE, Options
from cdb_desktop.client import (
    AnswerError,
    CertificateError,
    Client,
    ClientCertificateError,
    LoginRefusedError,
    NetworkOptionsError,
    ProxyLoginError,
    SignInError,
    SignInProblem,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.queries.links import Link, LinkError, LinkOrigin, parse_link
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.connection.messages import describe_session
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnection
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message

if TYPE_CHECKING:
    from cdb_desktop.ui.connection import dialog as connection_dialog
    from cdb_desktop.ui.connection import dialogs
    from cdb_desktop.ui.shell.workspace import Workspace
else:
    connection_dialog = lazy("cdb_desktop.ui.connection.dialog")
    dialogs = lazy("cdb_desktop.ui.connection.dialogs")


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
        self._browser = context.browser
        self._dialog = ConnectionDialogController(window, self._store, tasks, self._network, self._browser)
        context.pages.connections = RememberedConnections(self._store, self._network, self._browser)
        self._refused_certificate: tuple[ConnectionProfile, str, CertificateError] | None = None
        self._links = LinkController(window, session, context)
        self._files = OpenFileController(window, session, tasks, context, self._links.open)
        self._again: Callable[[], None] = self.open_demo
        self._demo_interface = DEMO_INTERFACE
        self._connect_signals()
        self._show_profiles()

    def start(self, options: Options, early: EmbeddedServer | None = None) -> None:
        """Opens what the command line names, else the last connection, else shows the choices."""
        profiles = self._store.file.profiles
        self._demo_interface = options.interface
        if options.view:
            self._files.open(Path(options.view))
        if options.link:
            self._links.open(options.link)
        elif options.demo:
            self.open_demo(early)
        elif options.server:
            profile = self._store.profile(options.server, options.login)
            self.open_profile(profile, options.password, is_asked=False)
        elif options.model:
            self._window.start.show_choices()
            self._files.open(Path(options.model))
        elif options.log:
            self._window.start.show_choices()
            self._files.open(Path(options.log))
        elif profiles and not options.restarted:
            self.open_profile(profiles[0], is_asked=False)
        else:
            self._window.start.show_choices()

    def open_demo(self, early: EmbeddedServer | None = None) -> None:
        """Opens the demo; ``early`` is its server, if that has been started already."""
        self._again = self.open_demo
        text = tr("Starting the demo service. The first start creates its data, which takes a few seconds.")
        self._show_connecting(text)
        self._session.open(self._demo(early), self._show_failure)

    def _open_demo(self, interface: int) -> None:
        self._demo_interface = interface
        self.open_demo()

    def open_profile(self, profile: ConnectionProfile, given: str = "", *, is_asked: bool = True) -> None:
        """Opens a service with the password ``given``, else with stored secrets, else opens the dialog.

        ``is_asked``: the user has just chosen this connection, so that the browser may be opened.
        """
        self._again = partial(self.open_profile, profile, given)
        self._network.forget_declined()
        self._show_connecting(tr("Signing in at {address}.", address=profile.address))
        self._session.preload()
        self._tasks.start(_OPEN, self._open_with_stored_secrets(profile, given, is_asked=is_asked))

    async def _open_with_stored_secrets(
        self, profile: ConnectionProfile, given: str, *, is_asked: bool
    ) -> None:
        if given:
            profile = profile.signed_in_by("password")
        entered = ConnectionInput(profile, given)
        # The keyring is imported only if it is needed: that takes as long as the sign-in itself.
        secrets = await self._store.secrets(entered)
        uses_browser = is_asked and profile.sign_in.method == "browser"
        if profile.login and (secrets.suffice or uses_browser):
            self._open(entered, secrets)
        else:
            self._show_choices()
            self._dialog.open(profile)
            self.input_required.emit()

    async def _look_up_secrets(self, entered: ConnectionInput) -> None:
        self._open(entered, await self._store.secrets(entered))

    def _open_input(self, entered: ConnectionInput) -> None:
        self._again = partial(self.open_profile, entered.profile)
        self._tasks.start(_OPEN, self._look_up_secrets(entered))

    def _open(self, entered: ConnectionInput, secrets: Secrets) -> None:
        failed = partial(self._show_refused, entered.profile, entered.password)
        self._session.open(self._service(entered, secrets), failed)

    @asynccontextmanager
    async def _demo(self, early: EmbeddedServer | None) -> AsyncIterator[Connection]:
        async with demo_connection(
            early or demo_server(self._context.demo, self._demo_interface)
        ) as connection:
            yield connection

    @asynccontextmanager
    async def _service(self, entered: ConnectionInput, secrets: Secrets) -> AsyncIterator[Connection]:
        opened = entered.profile

        async def remembered() -> Secrets:
            # Under the login with which the browser has signed in; a password of the dialog is not kept here.
            password = entered.password if entered.remember is None else ""
            return await self._store.secrets(replace(entered, profile=opened, password=password))

        access = NetworkAccess(await self._network.options(entered), self._network.ask)
        stays = entered.remember or (entered.remember is None and bool(secrets.refresh))
        browser = BrowserAccess(self._browser, self._store if stays else None)
        async with service_connection(entered.profile, secrets, remembered, access, browser) as connection:
            opened = connection.profile
            self._store.note(self._as_chosen(entered, opened))
            # In a separate task: the keyring may have to be unlocked.
            self._tasks.start(_KEEP, self._store.keep(replace(entered, profile=opened)))
            self._dialog.hide()
            self._show_profiles()
            yield connection

    def _as_chosen(self, entered: ConnectionInput, opened: ConnectionProfile) -> ConnectionProfile:
        """The profile to store: a password of the command line does not change the next sign-in."""
        if entered.remember is not None or not entered.password:
            return opened
        return replace_members(opened, sign_in=self._store.profile(opened.address, opened.login).sign_in)

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
        for name, interface in (("demo", DEMO_INTERFACE), ("demo_new", NEW_INTERFACE)):
            opening = partial(self._open_demo, interface)
            actions[name].triggered.connect(partial(self._window.after_recordings, opening))
        actions["connect"].triggered.connect(dialog.open_new)
        actions["disconnect"].triggered.connect(partial(self._window.after_recordings, self._session.close))
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
        self._browser.waiting.connect(start.show_waiting)
        self._browser.finished.connect(self._window.activateWindow)
        start.browser_requested.connect(self._browser.open)
        start.copy_requested.connect(self._browser.copy)
        dialog.cancelled.connect(self._cancel)
        dialog.forgotten.connect(self._show_profiles)
        self._links.connection_requested.connect(self.open_profile)
        self._links.new_requested.connect(dialog.open_new)
        self._files.started.connect(self._cancel)
        self._files.failed.connect(self.failed)
        self._session.closed.connect(self._show_choices)
        self._session.failed.connect(self._show_failure)


_TEST, _LOOK_UP, _LOOK, _FORGET, _CHECK, _FORGET_LOGIN = (
    f"connection_dialog.{name}"
    for name in ("test", "look_up", "look", "forget", "check", "forget_proxy_login")
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
        browser: BrowserSignIn,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._network = network
        self._browser = browser
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
        """Opens the dialog with ``profile``, marks what is stored, and asks which service answers."""
        self._show(profile)
        self._tasks.start(_LOOK_UP, self._look_up_secrets(profile))
        if profile.address:
            self._look(self._dialog.form.entered)

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
        """Removes a profile and its secrets from the store, and ends a sign-in that was kept."""
        self._store.file.forget(profile)
        self._tasks.start(f"{_FORGET}.{profile.key}", self._sign_out(profile, is_forgotten=True))
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
        dialog.look_requested.connect(self._look)
        dialog.browser.again_requested.connect(self._browser.open)
        dialog.browser.copy_requested.connect(self._browser.copy)
        dialog.form.sign_out_requested.connect(self._request_sign_out)
        self._browser.waiting.connect(dialog.show_waiting)
        dialog.form.network.forget_login_requested.connect(self._forget_proxy_login)
        return dialog

    def _show(self, profile: ConnectionProfile) -> None:
        if not self.is_open:
            self._dialog.show_profiles(self._store.file.profiles)
        self._dialog.open_profile(profile)

    async def _look_up_secrets(self, profile: ConnectionProfile) -> None:
        form, passwords = self._dialog.form, self._store.passwords
        form.show_keyring(lasting=await passwords.are_lasting())
        secrets = await self._store.secrets(ConnectionInput(profile))
        has_certificate = bool(profile.network.certificate)
        is_kept = has_certificate and bool(await passwords.password(profile.passphrase_key))
        proxy_user = await self._network.proxy_user(profile) if profile.address else ""
        if form.entered.profile.key == profile.key:
            form.show_kept(kept=secrets.suffice)
            form.sign_in.show_kept(kept=bool(secrets.client))
            form.network.show_kept(kept=is_kept)
            form.network.show_proxy_login(proxy_user)

    def _forget_proxy_login(self) -> None:
        profile = self._dialog.form.entered.profile
        self._tasks.start(_FORGET_LOGIN, self._network.forget_proxy_login(profile))

    def _look(self, entered: ConnectionInput) -> None:
        """Asks which service answers at the address, before anybody signs in; failures are shown later."""
        self._tasks.start(_LOOK, self._show_service(entered), on_error=lambda _error: None)

    async def _show_service(self, entered: ConnectionInput) -> None:
        access = NetworkAccess(await self._network.options(entered))
        service = await look_at(entered.profile, access)
        form = self._dialog.form
        if self.is_open and form.parsed_address.url == entered.profile.address:
            form.show_methods(service)

    def _request_sign_out(self) -> None:
        profile = self._dialog.form.entered.profile
        self._tasks.start(f"{_FORGET}.{profile.key}", self._sign_out(profile, is_forgotten=False))

    async def _sign_out(self, profile: ConnectionProfile, *, is_forgotten: bool) -> None:
        entered = ConnectionInput(profile)
        # Kept perhaps before another method was chosen.
        secrets = await self._store.secrets(ConnectionInput(profile.signed_in_by("browser")))
        if is_forgotten:
            await self._store.forget(profile)
        else:
            self._store.keep_tokens(profile, None)
        if secrets.refresh:
            await sign_out(profile, secrets, NetworkAccess(await self._network.options(entered)))

    def _connect(self, entered: ConnectionInput) -> None:
        self._begin(self._connect)
        self._window.after_recordings(partial(self._submit, entered))

    def _submit(self, entered: ConnectionInput) -> None:
        self._dialog.show_busy(tr("Signing in at {address}…", address=entered.profile.address))
        self.submitted.emit(entered)

    def _test(self, entered: ConnectionInput) -> None:
        self._begin(self._test)
        self._dialog.show_busy(tr("Testing the connection…"))
        failed = partial(self.show_failure, entered.profile)
        self._tasks.start(_TEST, self._probe(entered), on_error=failed)

    async def _probe(self, entered: ConnectionInput) -> None:
        secrets = await self._store.secrets(entered)
        access = NetworkAccess(await self._network.options(entered), self._network.ask)
        service, session = await probe(entered.profile, secrets, access)
        self._dialog.form.show_methods(service)
        self._dialog.show_outcome(describe_session(session, service))

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


_SIGN_IN_FIELDS: dict[SignInProblem, str] = {
    "password": "password",
    "second_factor": "method",
    "grant": "method",
    "flow": "method",
    "response_type": "method",
    "password_only": "method",
    "client": "client",
    "redirect": "redirect",
    "port_taken": "redirect",
    "scope": "scope",
}


def field_of(error: Exception) -> str:
    """The name of the field that an error belongs to, or an empty string."""
    if isinstance(error, SignInError):
        return _SIGN_IN_FIELDS.get(error.problem, "")
    if isinstance(error, LoginRefusedError):
        return "password"
    if isinstance(error, NetworkOptionsError):
        return error.option
    if isinstance(error, ClientCertificateError):
        return "certificate"
    if isinstance(error, UnreachableError) and error.kind == "proxy":
        return "proxy"
    return "address" if isinstance(error, _ADDRESS_ERRORS) else ""


class RememberedConnections:
    """The connections of the store. Each sign-in is a session of its own, which is ended after use."""

    def __init__(
        self, store: ConnectionStore, network: NetworkController, browser: BrowserSignIn, key: str = ""
    ) -> None:
        """``key`` is that of the connection that is open."""
        self._store = store
        self._network = network
        self._browser = browser
        self._key = key
        self._profiles: dict[str, ConnectionProfile] = {}

    def seen_from(self, key: str) -> RememberedConnections:
        """The same connections for another one that is open."""
        return RememberedConnections(self._store, self._network, self._browser, key)

    def profiles(self) -> Sequence[OtherConnection]:
        """All of them, the one that was used last first."""
        # Kept, since another window may remove one from the file.
        self._profiles = {one.key: one for one in self._store.file.profiles}
        return [
            OtherConnection(
                key,
                one.title,
                one.subtitle,
                one.colour,
                is_this=key == self._key,
                asks_password=one.sign_in.method == "password",
            )
            for key, one in self._profiles.items()
        ]

    async def password(self, key: str) -> str:
        """The stored password, or an empty string."""
        return await self._store.passwords.password(key)

    def open(self, key: str, password: str) -> AbstractAsyncContextManager[Client]:
        """Signs in, and signs out at the end. Raises ClientError."""
        return self._open(self._profiles[key], password)

    @asynccontextmanager
    async def _open(self, profile: ConnectionProfile, password: str) -> AsyncIterator[Client]:
        self._network.forget_declined()
        entered = ConnectionInput(profile, password)
        secrets = await self._store.secrets(entered)

        async def remembered() -> Secrets:
            return await self._store.secrets(entered)

        access = NetworkAccess(await self._network.options(entered), self._network.ask)
        browser = BrowserAccess(self._browser, self._store if secrets.refresh else None)
        async with service_connection(profile, secrets, remembered, access, browser) as connection:
            yield connection.client


class LinkController(QObject):
    """Opens a link in its connection, if that is one of the user's own; a link never adds one.

    A link that needs a connection waits for it. With another connection open, the user is asked.

    Signals: ``connection_requested`` (ConnectionProfile) for a connection of the user · ``new_requested`` for
    the dialog for a new connection.
    """

    connection_requested = Signal(object)
    new_requested = Signal()

    def __init__(self, window: MainWindow, session: ConnectionSession, context: ConnectionContext) -> None:
        super().__init__(window)
        self._window, self._session, self._context = window, session, context
        self._pages: Workspace | None = None
        self._waiting: Link | None = None
        self._is_for_any = False
        session.opened.connect(self._connected)
        session.left.connect(self._disconnected)

    def open(self, text: str) -> None:
        """Opens a link; why it cannot be opened is shown in the window."""
        self._waiting = None
        try:
            link = parse_link(text)
        except LinkError as error:
            title = tr("This link cannot be opened")
            if not self._session.is_active:
                self._window.start.show_choices()
            self._window.notice.show_notice("warning", title, error.reason)
            return
        profile = fitting_profile(link.origin, self._context.store.file.profiles)
        if self._pages is not None and self._is_open(link.origin):
            self._pages.open_link(link)
        elif self._session.is_active:
            self._ask(link, profile)
        elif profile is not None:
            self._switch(link, profile)
        else:
            self._window.start.show_choices()
            self._wait_for_any(link)

    def _is_open(self, origin: LinkOrigin) -> bool:
        connection = self._session.connection
        return connection is not None and _fits(origin, connection.origin)

    def _ask(self, link: Link, profile: ConnectionProfile | None) -> None:
        window, connection = self._window, self._session.connection
        present = connection.profile.title if connection is not None else ""
        dialog = dialogs.OpenLinkDialog(self._context.appearance, link.origin, profile, present, window)
        dialog.switch_requested.connect(
            lambda chosen: window.after_recordings(partial(self._switch, link, chosen))
        )
        dialog.new_requested.connect(partial(self._create, link))
        dialog.here_requested.connect(partial(self._open_here, link))
        dialog.open()

    def _switch(self, link: Link, profile: ConnectionProfile) -> None:
        self._waiting, self._is_for_any = link, False
        self.connection_requested.emit(profile)

    def _create(self, link: Link) -> None:
        self._waiting, self._is_for_any = link, True
        self.new_requested.emit()

    def _open_here(self, link: Link) -> None:
        if self._pages is not None:
            self._pages.open_link(link)

    def _wait_for_any(self, link: Link) -> None:
        self._waiting, self._is_for_any = link, True
        title = tr("You have no connection “{name}”", name=link.origin.name)
        server = link.origin.server
        parts = [
            tr("The link is for the service at {server}.", server=server) if server else "",
            tr(
                "Choose a connection to open the link in it, or create one ({key}).",
                key=key_of(self._window.actions_by_name["connect"]),
            ),
        ]
        self._window.notice.show_notice("accent", title, " ".join(filter(None, parts)))

    def _connected(self, pages: Workspace) -> None:
        self._pages = pages
        pages.link_requested.connect(self.open)
        link, self._waiting = self._waiting, None
        if link is None:
            return
        self._window.notice.hide()
        if self._is_for_any or self._is_open(link.origin):
            pages.open_link(link)
        else:
            self._ask(link, fitting_profile(link.origin, self._context.store.file.profiles))

    def _disconnected(self) -> None:
        self._pages = None


def fitting_profile(origin: LinkOrigin, profiles: tuple[ConnectionProfile, ...]) -> ConnectionProfile | None:
    """The connection of a link among the user's own: by its address, or without one by its name."""
    fitting = [one for one in profiles if _fits(origin, LinkOrigin(one.title, one.address))]
    by_name = [one for one in fitting if _folded(LinkOrigin(one.title)) == _folded(origin)]
    return next(iter((*by_name, *fitting)), None)


def _fits(origin: LinkOrigin, own: LinkOrigin) -> bool:
    """Whether a link for ``origin`` is for a connection. A service may have another name for each user."""
    if origin.server:
        return origin.server == own.server
    return _folded(origin) == _folded(own)


def _folded(origin: LinkOrigin) -> str:
    return origin.name.casefold()
