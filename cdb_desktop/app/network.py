"""The way through a corporate network: sign-in at a proxy, and certificates that are not accepted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal

from cdb_desktop.app.aside import aside
from cdb_desktop.app.memory import Memory
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
from cdb_desktop.ui.connection.certificate_sheet import CertificateSheet
from cdb_desktop.ui.connection.entry import Entry, Filled
from cdb_desktop.ui.connection.proxy_sheet import ProxySheet
from cdb_desktop.ui.tasks import Handler, Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.vocabulary.sentences import Words

_ASK, _KEEP, _LOOK = "network.ask", "network.keep", "network.look"


class NetworkController(QObject):
    """Asks the user what a network wants to know.

    Signals: ``asked`` when the sheet for a proxy is opened · ``declined`` with the ProxyLoginError when the
    user has closed it · ``authority_requested`` with the Entry for which an authority's file is to be chosen
    · ``shown`` when the sheet with a certificate is opened.
    """

    asked = Signal()
    declined = Signal(object)
    authority_requested = Signal(object)
    shown = Signal()

    def __init__(
        self, window: MainWindow, appearance: Appearance, memory: Memory, tasks: Tasks, words: Words
    ) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._secrets = memory.secrets
        self._tasks = tasks
        self._words = words
        self._logins: dict[str, ProxyLogin] = {}  # of this run of the program, by the address of the proxy
        self._declined: set[str] = set()
        self._pending: dict[str, asyncio.Future[ProxyLogin]] = {}
        self._waiting: dict[str, int] = {}
        self._sheets: dict[str, ProxySheet] = {}

    async def options(self, filled: Filled) -> NetworkOptions:
        """How to reach the service that was filled in, with what is remembered of it."""
        entry, passphrase = filled.entry, filled.passphrase
        if entry.network.certificate and not passphrase:
            passphrase = await self._secrets.password(entry.passphrase_key)
        options = entry.network.options(passphrase)
        if self._logins:
            # On some systems it asks the name service.
            proxy = await aside(partial(_proxy_address, entry.address, options))
            options = replace(options, proxy_login=self._logins.get(proxy))
        return options

    def begin(self) -> None:
        """The user wants a connection: one who has closed the sheet before is asked again."""
        self._declined.clear()

    async def check(self, filled: Filled) -> NetworkOptionsError | None:
        """What is wrong with the files that were filled in."""
        options = await self.options(filled)
        try:
            await aside(partial(check_options, options))
        except NetworkOptionsError as error:
            return error
        return None

    async def ask(self, error: ProxyLoginError) -> ProxyLogin:
        """What to tell the proxy; all calls that wait for it are answered at once. Raises ``error``."""
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
                self._give_up(proxy, pending)

    def show_certificate(
        self, entry: Entry, error: CertificateError, does: Callable[[Entry], None], on_error: Handler
    ) -> None:
        """Shows the certificate that was not accepted; ``does`` gets the entry with what is trusted then.

        Nothing is sent to the service while its certificate is fetched.
        """
        self._tasks.start(_LOOK, self._look(entry, error, does), on_error=on_error)

    async def _answer(self, error: ProxyLoginError, pending: asyncio.Future[ProxyLogin]) -> None:
        proxy = error.proxy
        sent = self._logins.pop(proxy, None)
        if sent is not None:
            # It was refused: sending it again and again would lock an account.
            await self._secrets.forget(_key(proxy))
        elif kept := _login(await self._secrets.password(_key(proxy))):
            if not pending.done():
                self._logins[proxy] = kept
                pending.set_result(kept)
            return
        if not pending.done():
            await self._open_sheet(error, "" if sent is None else sent.user, pending)

    async def _open_sheet(
        self, error: ProxyLoginError, user: str, pending: asyncio.Future[ProxyLogin]
    ) -> None:
        proxy = error.proxy
        sheet = self._sheets[proxy] = ProxySheet(self._appearance, proxy, self._window)
        sheet.filled.connect(partial(self._take, proxy, pending))
        sheet.rejected.connect(partial(self._decline, error, pending))
        sheet.ask(user, is_refused=error.is_refused)
        self.asked.emit()
        lasting = await self._secrets.are_lasting()
        if self._sheets.get(proxy) is sheet:
            sheet.show_keyring(lasting=lasting)

    def _take(
        self, proxy: str, pending: asyncio.Future[ProxyLogin], user: str, password: str, remember: bool
    ) -> None:
        self._sheets.pop(proxy, None)
        login = self._logins[proxy] = ProxyLogin(user, password)
        if remember:
            value = msgspec.json.encode((user, password)).decode()
            self._tasks.start(f"{_KEEP}.{proxy}", self._keep(_key(proxy), value))
        if not pending.done():
            pending.set_result(login)

    def _decline(self, error: ProxyLoginError, pending: asyncio.Future[ProxyLogin]) -> None:
        self._sheets.pop(error.proxy, None)
        if pending.done():
            return
        self._declined.add(error.proxy)
        pending.set_exception(error)
        pending.exception()  # looked at, even if all calls that waited have been given up
        self.declined.emit(error)

    def _give_up(self, proxy: str, pending: asyncio.Future[ProxyLogin]) -> None:
        """Nobody waits for it any more."""
        self._tasks.cancel(f"{_ASK}.{proxy}")
        pending.cancel()
        sheet = self._sheets.pop(proxy, None)
        if sheet is not None:
            sheet.reject()

    async def _keep(self, key: str, value: str) -> None:
        await self._secrets.keep(key, value)

    async def _look(self, entry: Entry, error: CertificateError, does: Callable[[Entry], None]) -> None:
        options = await self.options(Filled(entry))
        await aside(load_libraries)
        certificates = await fetch_certificates(entry.address, options)
        if not certificates:
            raise error
        sheet = CertificateSheet(self._appearance, error.host, error.problem, certificates, self._window)

        def trust(pem: str, is_authority: bool) -> None:
            trusted = {"trusted_authority": pem if is_authority else ""}
            trusted["trusted_certificate"] = "" if is_authority else pem
            network = msgspec.structs.replace(entry.network, **trusted)
            does(msgspec.structs.replace(entry, network=network))

        sheet.trusted.connect(trust)
        sheet.file_requested.connect(lambda: self.authority_requested.emit(entry))
        sheet.show_certificate(self._words(error))
        self.shown.emit()


def _proxy_address(url: str, options: NetworkOptions) -> str:
    try:
        return bare_url(proxy_for(url, options)).rstrip("/")
    except NetworkOptionsError:
        return ""


def _key(proxy: str) -> str:
    """The name of a proxy's user and password in the keyring."""
    return f"proxy:{proxy}"


def _login(value: str) -> ProxyLogin | None:
    try:
        user, password = msgspec.json.decode(value, type=tuple[str, str])
    except msgspec.DecodeError:
        return None
    return ProxyLogin(user, password)
