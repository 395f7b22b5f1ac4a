"""Network questions of a connection: sign-in at a proxy, and certificates that are not trusted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.client import (
    CertificateError,
    NetworkOptions,
    NetworkOptionsError,
    ProxyLogin,
    ProxyLoginError,
    check_options,
    fetch_certificates,
    load_libraries,
    proxy_for,
)
from cdb_desktop.client.redaction import bare_url
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Handler, Tasks
from cdb_desktop.vocabulary.error_messages import error_message

if TYPE_CHECKING:
    from cdb_desktop.ui.connection import dialogs
    from cdb_desktop.ui.shell.settings.view import SettingsView
else:
    dialogs = lazy("cdb_desktop.ui.connection.dialogs")

_ASK, _KEEP, _FETCH = "network.ask", "network.keep", "network.fetch_certificate"
_LIST, _FORGET = "network.list_logins", "network.forget_login"
_PROXIES = "network/proxies"  # of the settings


class NetworkController(QObject):
    """Opens the dialogs for proxy logins and untrusted certificates.

    Signals: ``proxy_login_requested`` when the dialog for a proxy is opened · ``proxy_login_declined`` with
    the ProxyLoginError when the user has closed it · ``authority_requested`` with the profile for which the
    file of an authority is to be chosen · ``certificate_shown`` when the dialog with a certificate is opened.
    """

    proxy_login_requested = Signal()
    proxy_login_declined = Signal(object)
    authority_requested = Signal(object)
    certificate_shown = Signal()

    def __init__(
        self,
        window: MainWindow,
        store: ConnectionStore,
        tasks: Tasks,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.page_context.settings
        self._file, self._passwords = store.file, store.passwords
        self._tasks = tasks
        self._logins: dict[str, ProxyLogin] = {}  # of this run of the program, by the address of the proxy
        self._declined: set[str] = set()
        self._pending: dict[str, asyncio.Future[ProxyLogin]] = {}
        self._waiting: dict[str, int] = {}
        self._dialogs: dict[str, dialogs.ProxyDialog] = {}
        window.offline_pages.settings_made.connect(self._control_settings)

    async def options(self, entered: ConnectionInput) -> NetworkOptions:
        """The network options of a filled-in connection, with its stored passphrase and proxy login."""
        profile, passphrase = entered.profile, entered.passphrase
        if profile.network.certificate and not passphrase:
            passphrase = await self._passwords.password(profile.passphrase_key)
        options = profile.network.options(passphrase)
        if self._logins:
            # On some systems this resolves host names.
            proxy = await run_in_thread(partial(_proxy_address, profile.address, options))
            options = replace(options, proxy_login=self._logins.get(proxy))
        return options

    async def proxy_user(self, profile: ConnectionProfile) -> str:
        """The user of the stored login for the proxy of a profile, or an empty string."""
        proxy = await self._proxy_of(profile)
        login = self._logins.get(proxy)
        if login is None and proxy:
            login = _login(await self._passwords.password(_key(proxy)))
        return login.user if login else ""

    async def forget_proxy_login(self, profile: ConnectionProfile) -> None:
        """Deletes the login for the proxy of a profile, so that the user is asked for it the next time."""
        await self._forget_login(await self._proxy_of(profile))

    async def _forget_login(self, proxy: str) -> None:
        self._logins.pop(proxy, None)
        if proxy:
            await self._passwords.forget(_key(proxy))
        self._settings.setValue(_PROXIES, [one for one in self._proxies if one != proxy])

    @property
    def _proxies(self) -> list[str]:
        """The addresses of proxies at which a login was remembered; the keyring cannot be listed."""
        kept = self._settings.value(_PROXIES) or []
        return [kept] if isinstance(kept, str) else list(kept) if isinstance(kept, list) else []

    def _note_proxy(self, proxy: str) -> None:
        if proxy not in self._proxies:
            self._settings.setValue(_PROXIES, [*self._proxies, proxy])

    def _control_settings(self, page: SettingsView) -> None:
        """Lists the remembered logins on the settings page, where they can be forgotten."""

        def show() -> None:
            self._tasks.start(_LIST, self._show_logins(page))

        def forget(proxy: str) -> None:
            self._tasks.start(f"{_FORGET}.{proxy}", self._forget_listed(page, proxy))

        page.shown.connect(show)
        page.proxies.forget_requested.connect(forget)

    async def _forget_listed(self, page: SettingsView, proxy: str) -> None:
        await self._forget_login(proxy)
        await self._show_logins(page)

    async def _show_logins(self, page: SettingsView) -> None:
        # Earlier versions have noted no proxies.
        profiles = [one for one in self._file.profiles if one.network.proxy == "address"]
        of_profiles = [await self._proxy_of(profile) for profile in profiles]
        users: dict[str, str] = {}
        for proxy in dict.fromkeys(filter(None, (*self._proxies, *self._logins, *of_profiles))):
            login = self._logins.get(proxy) or _login(await self._passwords.password(_key(proxy)))
            if login is not None:
                users[proxy] = login.user
        page.proxies.show_logins(users)

    async def _proxy_of(self, profile: ConnectionProfile) -> str:
        # On some systems this resolves host names.
        return await run_in_thread(partial(_proxy_address, profile.address, profile.network.options()))

    def forget_declined(self) -> None:
        """Asks again for logins that the user has declined before, as a new connection is wanted."""
        self._declined.clear()

    async def check(self, entered: ConnectionInput) -> NetworkOptionsError | None:
        """The error in the filled-in certificate files, or None."""
        options = await self.options(entered)
        try:
            await run_in_thread(partial(check_options, options))
        except NetworkOptionsError as error:
            return error
        return None

    async def ask(self, error: ProxyLoginError) -> ProxyLogin:
        """The login for a proxy, shared by all waiting calls. Raises ``error`` if the user declines."""
        proxy = error.proxy
        if proxy in self._declined or not error.is_possible:
            raise error
        pending = self._pending.get(proxy)
        if pending is None or pending.done():
            pending = self._pending[proxy] = asyncio.get_running_loop().create_future()
            self._tasks.start(f"{_ASK}.{proxy}", self._answer(error, pending))
        self._waiting[proxy] = self._waiting.get(proxy, 0) + 1
        try:
            return await asyncio.shield(pending)
        finally:
            self._waiting[proxy] -= 1
            if not self._waiting[proxy] and not pending.done():
                self._cancel(proxy, pending)

    def show_certificate(
        self,
        profile: ConnectionProfile,
        error: CertificateError,
        on_trusted: Callable[[ConnectionProfile], None],
        on_error: Handler,
    ) -> None:
        """Shows an untrusted certificate; ``on_trusted`` is called with the profile that trusts it.

        Nothing is sent to the service while its certificate is fetched.
        """
        self._tasks.start(_FETCH, self._fetch_certificate(profile, error, on_trusted), on_error=on_error)

    async def _answer(self, error: ProxyLoginError, pending: asyncio.Future[ProxyLogin]) -> None:
        proxy = error.proxy
        sent = self._logins.pop(proxy, None)
        if sent is not None:
            # The proxy refused it: sending it again and again would lock an account.
            await self._passwords.forget(_key(proxy))
        elif kept := _login(await self._passwords.password(_key(proxy))):
            if not pending.done():
                self._logins[proxy] = kept
                self._note_proxy(proxy)
                pending.set_result(kept)
            return
        if not pending.done():
            await self._open_dialog(error, "" if sent is None else sent.user, pending)

    async def _open_dialog(
        self, error: ProxyLoginError, user: str, pending: asyncio.Future[ProxyLogin]
    ) -> None:
        proxy = error.proxy
        dialog = self._dialogs[proxy] = dialogs.ProxyDialog(
            self._window.page_context.appearance, proxy, self._window
        )
        dialog.submitted.connect(partial(self._accept, proxy, pending))
        dialog.rejected.connect(partial(self._decline, error, pending))
        dialog.ask(user, is_refused=error.is_refused)
        self.proxy_login_requested.emit()
        lasting = await self._passwords.are_lasting()
        if self._dialogs.get(proxy) is dialog:
            dialog.show_keyring(lasting=lasting)

    def _accept(
        self, proxy: str, pending: asyncio.Future[ProxyLogin], user: str, password: str, remember: bool
    ) -> None:
        self._dialogs.pop(proxy, None)
        login = self._logins[proxy] = ProxyLogin(user, password)
        if remember:
            value = msgspec.json.encode((user, password)).decode()
            self._note_proxy(proxy)
            self._tasks.start(f"{_KEEP}.{proxy}", self._keep(_key(proxy), value))
        if not pending.done():
            pending.set_result(login)

    def _decline(self, error: ProxyLoginError, pending: asyncio.Future[ProxyLogin]) -> None:
        self._dialogs.pop(error.proxy, None)
        if pending.done():
            return
        self._declined.add(error.proxy)
        pending.set_exception(error)
        pending.exception()  # retrieved, in case all calls that waited have been cancelled
        self.proxy_login_declined.emit(error)

    def _cancel(self, proxy: str, pending: asyncio.Future[ProxyLogin]) -> None:
        """Closes the dialog when no call waits for the login any more."""
        self._tasks.cancel(f"{_ASK}.{proxy}")
        pending.cancel()
        dialog = self._dialogs.pop(proxy, None)
        if dialog is not None:
            dialog.reject()

    async def _keep(self, key: str, value: str) -> None:
        await self._passwords.keep(key, value)

    async def _fetch_certificate(
        self,
        profile: ConnectionProfile,
        error: CertificateError,
        on_trusted: Callable[[ConnectionProfile], None],
    ) -> None:
        options = await self.options(ConnectionInput(profile))
        await run_in_thread(load_libraries)
        certificates = await fetch_certificates(profile.address, options)
        if not certificates:
            raise error
        dialog = dialogs.CertificateDialog(
            self._window.page_context.appearance, error.host, error.problem, certificates, self._window
        )

        def trust(pem: str, is_authority: bool) -> None:
            trusted = {"trusted_authority": pem if is_authority else ""}
            trusted["trusted_certificate"] = "" if is_authority else pem
            network = msgspec.structs.replace(profile.network, **trusted)
            on_trusted(msgspec.structs.replace(profile, network=network))

        dialog.trusted.connect(trust)
        dialog.file_requested.connect(lambda: self.authority_requested.emit(profile))
        dialog.show_certificate(error_message(error))
        self.certificate_shown.emit()


def _proxy_address(url: str, options: NetworkOptions) -> str:
    try:
        return bare_url(proxy_for(url, options)).rstrip("/")
    except NetworkOptionsError:
        return ""


def _key(proxy: str) -> str:
    """The keyring's name for the login of a proxy."""
    return f"proxy:{proxy}"


def _login(value: str) -> ProxyLogin | None:
    try:
        user, password = msgspec.json.decode(value, type=tuple[str, str])
    except msgspec.DecodeError:
        return None
    return ProxyLogin(user, password)
