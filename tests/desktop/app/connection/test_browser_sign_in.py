"""Tests of signing in in the browser: a real server and a real window; an HTTP client plays the browser."""

import asyncio
import re
import socket
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.connection.browser import BrowserSignIn
from cdb_desktop.app.connection.connect import BrowserAccess, NetworkAccess, service_connection
from cdb_desktop.app.connection.controller import RememberedConnections
from cdb_desktop.app.connection.passwords import PasswordStore, Secrets
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client, OAuthClient, Session
from cdb_desktop.ui.connection.profile import ConnectionProfile, SignInSettings
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring, service
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of

_PASSWORDS = {"root": "admin", "viewer": "viewer"}


class Browser(QObject):
    """Opens addresses in place of the system's browser, and signs in at once unless it is ``idle``."""

    def __init__(self) -> None:
        super().__init__()
        self.idle, self.login = False, "root"
        self.opened: list[str] = []
        self.shown: list[str] = []
        self._work: set[asyncio.Task[None]] = set()

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        """Called by Qt."""
        self.opened.append(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        if not self.idle:
            task = asyncio.get_running_loop().create_task(self._sign_in(self.opened[-1]))
            self._work.add(task)
            task.add_done_callback(self._work.discard)

    async def _sign_in(self, url: str) -> None:
        async with httpx.AsyncClient(timeout=30.0) as http:
            page = (await http.get(url)).text
            hidden = re.findall(r'type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"', page)
            form = {name: unescape(value) for name, value in hidden}
            posted = await http.post(
                url.partition("?")[0], data={**form, "login": self.login, "password": _PASSWORDS[self.login]}
            )
            self.shown.append((await http.get(posted.headers["location"])).text)


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Takes the place of the system's browser."""
    one = Browser()
    QDesktopServices.setUrlHandler("http", one, "open")  # type: ignore[arg-type]  # bytes are refused
    yield one
    QDesktopServices.unsetUrlHandler("http")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service of generation 6."""
    with service(tmp_path_factory.mktemp("service"), "--generation", "6") as running:
        yield running.url


async def test_the_browser_signs_in_and_a_restart_needs_nobody(
    open_app: OpenApp, address: str, browser: Browser, keys: MemoryKeyring
) -> None:
    """The service is recognized while the address is entered; then only a refresh token is stored."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        form = app.connection_dialog.form
        await until(form.address.hasFocus)
        QTest.keyClicks(form.address, address)
        QTest.keyClick(form.address, Qt.Key.Key_Tab)
        await until(lambda: "generation 6" in form.hint("address").text())
        assert (form.method.value, form.login.isVisible()) == ("browser", False)
        child_of(app.connection_dialog, QPushButton, "connection.dialog.connect").click()
        await _opened(app)
        await until(lambda: any("You are signed in" in text for text in browser.shown))
        assert "generation 6" in app.window.status.about.text()
        profile = app.context.store.file.profiles[0]
        assert (profile.login, profile.sign_in.method) == ("root", "browser")
        await until(lambda: bool(keys.passwords))
    first = _stored(keys)
    async with open_app() as app:
        app.controller.start(Options())
        await _opened(app)
        assert len(browser.opened) == 1
        await until(lambda: _stored(keys) != first)
        await _revoke(address, _stored(keys))
        app.window.actions_by_name["refresh"].trigger()
        await until(app.sign_in.isVisible)
        assert not app.sign_in.password.isVisible()
        browser.login = "viewer"
        app.sign_in.accept_button.click()
        await until(lambda: "belongs to root" in app.sign_in.hint.text())
        await until(lambda: not keys.passwords)
        browser.idle, browser.login = True, "root"
        app.sign_in.accept_button.click()
        await until(app.sign_in.browser.isVisible)
        browser.idle = False
        child_of(app.sign_in, QPushButton, "connection.sign_in.browser.again").click()
        await until(lambda: not app.sign_in.isVisible())
        assert browser.opened[-1] == browser.opened[-2]
        await until(lambda: app.window.status.latency.text().endswith("ms"))
        current = _stored(keys)
        assert current not in app.context.store.file._file.read_text()
        # What the user ends here is ended at the service, even if another method has been chosen meanwhile.
        app.window.actions_by_name["connect"].trigger()
        app.connection_dialog.open_profile(app.context.store.file.profiles[0].signed_in_by("password"))
        app.connection_dialog.form.sign_out_requested.emit()
        await until(lambda: not keys.passwords)
        async with httpx.AsyncClient(base_url=address) as http:
            while (await _who(http, app)).status_code == 200:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_sign_in_that_was_revoked_is_explained(
    open_app: OpenApp, address: str, browser: Browser, keys: MemoryKeyring
) -> None:
    """The token is not tried again, and the browser opens only when the user connects."""
    profile = ConnectionProfile(address, "root", used=1.0, sign_in=SignInSettings("browser"))
    keys.set_password("cdb-desktop", profile.refresh_key, "revoked-elsewhere")
    async with open_app() as app:
        app.context.store.file.keep(profile)
        app.controller.start(Options())
        await until(lambda: app.failed)
        dialog = app.connection_dialog
        assert "revoked elsewhere" in dialog.outcome.text()
        assert "revoked-elsewhere" not in repr(app.failed)
        await until(lambda: not keys.passwords)
        assert browser.opened == []
        app.failed.clear()
        form = dialog.form
        with socket.create_server(("127.0.0.1", 0)) as other:
            redirect = f"http://127.0.0.1:{other.getsockname()[1]}/back"
            form.sign_in.lines["redirect"].setText(redirect)
            child_of(dialog, QPushButton, "connection.dialog.connect").click()
            await until(lambda: "Port in use" in form.hint("redirect").text())
        app.failed.clear()
        form.sign_in.lines["redirect"].clear()
        # Closing the browser is no end: the user cancels, or opens it again.
        browser.idle = True
        child_of(dialog, QPushButton, "connection.dialog.connect").click()
        await until(dialog.browser.isVisible)
        assert "http://127.0.0.1:" in dialog.outcome.text()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert (dialog.isVisible(), dialog.browser.isVisible()) == (True, False)
        browser.idle = False
        child_of(dialog, QPushButton, "connection.dialog.connect").click()
        await _opened(app)
        assert len(browser.opened) == 2


async def test_a_sign_in_outlives_a_later_one(address: str, browser: Browser) -> None:
    """The browser can be opened again for it."""
    browser.idle = True
    sign_in, works = BrowserSignIn(), []
    async with Client(address) as client:
        for number in (1, 2):
            works.append(asyncio.create_task(sign_in(client, OAuthClient())))
            await until(lambda: len(browser.opened) == number)  # noqa: B023  # called in the same turn
        works.pop().cancel()
        await until(lambda: len(sign_in._attempts) == 1)
        sign_in.open()
        assert browser.opened[2] == browser.opened[0] != browser.opened[1]
        works.pop().cancel()
        await until(lambda: not sign_in._attempts)


async def test_a_connection_that_the_user_chooses_opens_the_browser(
    open_app: OpenApp, address: str, browser: Browser, keys: MemoryKeyring
) -> None:
    """The start page waits for it, and nothing is stored that was not stored before."""
    profile = ConnectionProfile(address, "root", used=1.0, sign_in=SignInSettings("browser"))
    browser.idle = True
    async with open_app() as app:
        app.window.start.choices.opened.emit(profile)
        await until(lambda: len(app.window.start.findChildren(QPushButton, "empty.choice")) == 2)
        browser.idle = False
        child_of(app.window.start, QPushButton, "empty.choice").click()
        await _opened(app)
        token = app.opened[0]._client.tokens
        assert token is not None
        others = app.context.pages.connections
        assert isinstance(others, RememberedConnections)
        (other,) = others.profiles()
        assert not other.asks_password
        async with others.open(other.key, "") as client:
            assert "tables" in await client.schema("CURRENT")
        assert keys.passwords == {}
    async with httpx.AsyncClient(base_url=address) as http:
        form = {"grant_type": "refresh_token", "refresh_token": token.refresh, "client_id": "web-client"}
        assert (await http.post("/api/oauth2/token", data=form)).json()["error"] == "invalid_grant"


async def test_a_password_signs_in_at_the_same_service(
    open_app: OpenApp, address: str, keys: MemoryKeyring
) -> None:
    """The command line can name one; it takes the place of the browser, this time."""
    async with open_app() as app:
        app.context.store.file.keep(ConnectionProfile(address, "root", sign_in=SignInSettings("browser")))
        app.controller.start(Options(server=address, login="root", password="admin"))
        await _opened(app)
        assert app.opened[0]._client.tokens is not None
        assert keys.passwords == {}
        assert app.context.store.file.profiles[0].sign_in.method == "browser"


async def test_windows_that_start_together_share_a_kept_sign_in(
    address: str, tmp_path: Path, keys: MemoryKeyring
) -> None:
    """Each uses the token that the other has left: a second use of one would end the sign-in."""
    profile = ConnectionProfile(address, "root", sign_in=SignInSettings("browser"))
    async with Client(address) as client:
        await client.authenticate("root", "admin")
        assert client.tokens is not None
        secrets = Secrets(refresh=client.tokens.refresh)
    keys.set_password("cdb-desktop", profile.refresh_key, secrets.refresh)

    async def no_browser(_client: Client, _oauth: OAuthClient) -> Session:
        raise AssertionError

    async def remembered() -> Secrets:
        return secrets

    async def opened(ready: asyncio.Barrier) -> bool:
        store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())
        browser = BrowserAccess(no_browser, store)
        async with service_connection(profile, secrets, remembered, NetworkAccess(), browser) as one:
            await ready.wait()
            return "tables" in await one.client.schema("CURRENT")

    ready = asyncio.Barrier(3)
    assert await asyncio.gather(*(opened(ready) for _ in range(3))) == [True] * 3
    # Written once more, one that has been used meanwhile would take the place of its successor.
    assert len(keys.written) == len(set(keys.written)) == 4
    async with Client(address) as client:
        assert (await client.resume(_stored(keys))).user is not None


async def test_two_generations_are_told_apart(open_app: OpenApp, reference_server: str) -> None:
    """A service that knows no browser is asked with a password, whatever its connection says."""
    async with open_app() as app:
        profile = ConnectionProfile(reference_server, "root", used=1.0, sign_in=SignInSettings("browser"))
        app.controller.open_profile(profile, is_asked=False)
        await until(lambda: app.is_connection_dialog_open)
        form = app.connection_dialog.form
        await until(lambda: "generation 5" in form.hint("address").text())
        assert (form.method.value, form.method.isEnabled()) == ("password", False)
        assert "password only" in form.method.toolTip()


async def _opened(app: AppWindow) -> None:
    await until(lambda: app.opened or app.failed)
    assert app.failed == []
    await until(lambda: app.window.status.latency.text().endswith("ms"))


async def _who(http: httpx.AsyncClient, app: AppWindow) -> httpx.Response:
    tokens = app.opened[0]._client.tokens
    assert tokens is not None
    return await http.get("/api/v1/user/session", headers={"authorization": f"Bearer {tokens.access}"})


def _stored(keys: MemoryKeyring) -> str:
    (token,) = keys.passwords.values()
    return token


async def _revoke(address: str, token: str) -> None:
    async with httpx.AsyncClient(base_url=address) as http:
        answer = await http.post("/api/oauth2/revoke", data={"token": token, "client_id": "web-client"})
        assert answer.status_code == 200
