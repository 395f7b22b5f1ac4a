"""Tests of signing in again: a real server ends sessions, and a real window continues."""

import asyncio
from pathlib import Path

import httpx
import pytest
from msgspec.structs import force_setattr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.connection.passwords import Secrets
from cdb_desktop.app.options import Options
from cdb_desktop.client import Session, SessionLostError
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring, service
from tests.desktop.patience import until


async def test_an_expired_session_is_renewed_without_a_dialog(open_app: OpenApp, tmp_path: Path) -> None:
    """With a stored password no dialog opens, and the page continues."""
    with service(tmp_path, "--set", "session.timeout=1") as running:
        async with open_app() as app:
            before = await _open(app, running.url, otherwise="admin")
            await until(lambda: app.client.session is not None and app.client.session.token != before.token)
            app.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(0.3)
            assert not app.sign_in.isVisible()
            assert not app.window.notice.isVisible()
            await until(lambda: app.window.status.latency.text().endswith("ms"))


async def test_a_password_that_is_not_stored_is_requested(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """A pending call gets its answer. A wrong password is reported, the right one is stored."""
    async with open_app() as app:
        await _open(app, reference_server)
        await _end_session(app, reference_server)
        await until(app.sign_in.password.hasFocus)
        assert app.window.status.latency.text() == "· signed out"
        waiting = asyncio.create_task(app.client.event(1))
        await _answer(app, "wrong")
        await until(lambda: "did not accept" in app.sign_in.hint.text())
        assert not waiting.done()
        app.sign_in.remember.setChecked(True)
        await _answer(app, "admin")
        assert (await waiting).id == 1
        await until(lambda: not app.sign_in.isVisible() and bool(keys.passwords))
        await until(lambda: app.window.status.latency.text().endswith("ms"))


async def test_panes_keep_their_contents(open_app: OpenApp, reference_server: str) -> None:
    """The scroll position is the same before and after, and further rows can be loaded."""
    async with open_app() as app:
        await _open(app, reference_server)
        table = app.opened[0].events_view.table
        await until(lambda: table.model().rowCount() > 1000)
        table.verticalScrollBar().setValue(500)
        await _end_session(app, reference_server)
        await until(app.sign_in.password.hasFocus)
        top = table.visible_rows()[0]
        await _answer(app, "admin")
        await until(lambda: not app.sign_in.isVisible())
        await until(lambda: table.model().index(top, 0).data())
        assert table.visible_rows()[0] == top


async def test_signing_in_can_be_postponed(open_app: OpenApp, reference_server: str) -> None:
    """Later calls fail with a message and open no dialog; menu, status bar and feed offer to sign in."""
    async with open_app() as app:
        await _open(app, reference_server)
        await _end_session(app, reference_server)
        await until(app.sign_in.password.hasFocus)
        QTest.keyClick(app.sign_in, Qt.Key.Key_Escape)
        assert "Signed out" in app.window.notice.title
        for _ in range(3):
            with pytest.raises(SessionLostError):
                await app.client.event(1)
            app.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(0.2)
            assert not app.sign_in.isVisible()
        step = app.opened[0].live_view.strip.findChild(QPushButton, "live.step")
        assert isinstance(step, QPushButton)
        assert (step.isVisible(), step.text()) == (True, "Sign in again")
        again = app.window.status.findChild(QPushButton, "status.sign_in")
        assert isinstance(again, QPushButton)
        assert (again.isVisible(), again.text()) == (True, "Sign in again")
        again.click()
        await until(app.sign_in.password.hasFocus)
        QTest.keyClick(app.sign_in, Qt.Key.Key_Escape)
        assert not app.sign_in.isVisible()
        step.click()
        await until(app.sign_in.password.hasFocus)
        QTest.keyClick(app.sign_in, Qt.Key.Key_Escape)
        app.window.actions_by_name["sign_in"].trigger()
        await until(app.sign_in.password.hasFocus)
        await _answer(app, "admin")
        await until(lambda: app.window.status.latency.text().endswith("ms"))
        assert (await app.client.event(1)).id == 1
        assert not again.isVisible()
        assert not app.window.notice.isVisible()
        assert not app.window.actions_by_name["sign_in"].isEnabled()


async def test_the_feed_shows_the_same_state_as_the_status_bar(
    open_app: OpenApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays signed out, even if the service goes away and comes back meanwhile."""
    monkeypatch.setattr("cdb_desktop.live.log_follower._IDLE", 0.5)
    with service(tmp_path) as running:
        async with open_app() as app:
            await _open(app, running.url)
            strip = app.opened[0].live_view.strip
            await _sign_out_elsewhere(app, running.url)
            await until(app.sign_in.password.hasFocus)
            for _ in range(4):
                await asyncio.sleep(0.4)
                assert strip.status.text() == "Not signed in"
                assert app.window.status.latency.text() == "· signed out"
            QTest.keyClick(app.sign_in, Qt.Key.Key_Escape)
            running.stop()
            app.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(1)
            assert (strip.status.text(), app.window.status.latency.text()) == (
                "Not signed in",
                "· signed out",
            )
            running.start()
            app.window.actions_by_name["sign_in"].trigger()
            await until(app.sign_in.password.hasFocus)
            await _answer(app, "admin")
            await until(lambda: strip.status.text().startswith("Following"))
            await until(lambda: app.window.status.latency.text().endswith("ms"))


async def test_a_server_with_another_log_is_accepted(open_app: OpenApp, tmp_path: Path) -> None:
    """The server returns at its address without the session, and the rights may be different."""
    with service(tmp_path) as running:
        async with open_app() as app:
            await _open(app, running.url, otherwise="admin")
            running.stop()
            await until(lambda: app.window.status.latency.text() == "· no answer")
            running.start("another.sqlite")
            await until(lambda: app.window.status.latency.text().endswith("ms"), 20)
            assert not app.sign_in.isVisible()


async def test_actions_follow_the_rights_of_the_new_session(
    open_app: OpenApp, reference_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An action that is no longer allowed is disabled, and its tooltip names the missing right."""
    async with open_app() as app:
        await _open(app, reference_server, otherwise="admin")
        assert app.window.actions_by_name["filter"].isEnabled()
        # The reference server cannot revoke rights.
        monkeypatch.setattr(Session, "allows", lambda _session, _right: False)
        await _end_session(app, reference_server)
        await until(lambda: not app.window.actions_by_name["filter"].isEnabled())
        assert "system.api.event.get" in app.window.actions_by_name["filter"].toolTip()


async def test_cancelling_leaves_the_connection(open_app: OpenApp, reference_server: str) -> None:
    """The sign-in dialog is closed too."""
    async with open_app() as app:
        await _open(app, reference_server)
        await _end_session(app, reference_server)
        await until(app.sign_in.password.hasFocus)
        app.sign_in.disconnect_requested.emit()
        await until(app.window.start.choices.isVisible)
        assert not app.session.is_active


async def test_the_connection_can_be_closed_while_the_dialog_is_open(
    open_app: OpenApp, reference_server: str
) -> None:
    """Calls that wait for the session end with the connection, and nothing is reported."""
    async with open_app() as app:
        await _open(app, reference_server)
        await _end_session(app, reference_server)
        await until(app.sign_in.password.hasFocus)
    assert app.window.status.who.text() == "Not connected"


async def _open(app: AppWindow, url: str, otherwise: str = "") -> Session:
    """Opens a connection; without ``otherwise`` its password is not stored."""
    app.controller.start(Options(server=url, login="root", password="admin"))
    await until(lambda: app.opened)
    await until(lambda: app.window.status.latency.text().endswith("ms"))
    if not otherwise:
        _forget(app)
    assert app.client.session is not None
    return app.client.session


def _forget(app: AppWindow) -> None:
    async def nothing() -> Secrets:
        return Secrets()

    assert app.session._renewal is not None
    force_setattr(app.session._renewal._connection, "remembered", nothing)


async def _end_session(app: AppWindow, url: str) -> None:
    """Signs the window's session out and makes a pane notice it."""
    await _sign_out_elsewhere(app, url)
    # Polls of a session that is not signed in return neither events nor an error (§4.2).
    app.window.actions_by_name["refresh"].trigger()


async def _sign_out_elsewhere(app: AppWindow, url: str) -> None:
    """Signs the session out with its token only."""
    assert app.client.session is not None
    async with httpx.AsyncClient() as other:
        address = f"{url}/api/v1/session/deauthenticate"
        answer = await other.post(address, params={"token": app.client.session.token})
    assert answer.status_code == 200


async def _answer(app: AppWindow, password: str) -> None:
    # Until then, key presses would trigger the shortcuts of the window below.
    await until(app.sign_in.isActiveWindow)
    app.sign_in.password.clear()
    QTest.keyClicks(app.sign_in.password, password)
    QTest.keyClick(app.sign_in.password, Qt.Key.Key_Return)
