"""Tests of signing in again: a real server that ends sessions, a real window that goes on where it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from msgspec.structs import force_setattr
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.options import Options
from cdb_desktop.client import Session, SessionLostError
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.app.services import MemoryKeyring, service
from tests.desktop.patience import until


async def test_an_expired_session_is_renewed_in_silence(take_seat: Take, tmp_path: Path) -> None:
    """The password is remembered: nobody is asked, and what is shown goes on."""
    with service(tmp_path, "--set", "session.timeout=1") as running:
        async with take_seat() as seat:
            before = await _open(seat, running.url, otherwise="admin")
            await until(lambda: seat.client.session is not None and seat.client.session.token != before.token)
            seat.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(0.3)
            assert not seat.sign_in.isVisible()
            assert not seat.window.notice.isVisible()
            assert seat.window.status.latency.endswith("ms")


async def test_where_nobody_knows_the_password_it_is_asked_for(
    take_seat: Take, reference_server: str, keys: MemoryKeyring
) -> None:
    """A call that waits meanwhile gets its answer; a wrong one is told, the right one remembered."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
        assert seat.window.status.latency == "· signed out"
        waiting = asyncio.create_task(seat.client.event(1))
        await _answer(seat, "wrong")
        await until(lambda: "did not accept" in seat.sign_in.hint.text())
        assert not waiting.done()
        seat.sign_in.remember.setChecked(True)
        await _answer(seat, "admin")
        assert (await waiting).id == 1
        await until(lambda: not seat.sign_in.isVisible() and bool(keys.kept))
        await until(lambda: seat.window.status.latency.endswith("ms"))


async def test_panes_keep_what_they_show(take_seat: Take, reference_server: str) -> None:
    """The place in the table is the same before and after, and rows that are new to it can be read."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        table = seat.opened[0].events_view.table
        await until(lambda: table.model().rowCount() > 1000)
        table.verticalScrollBar().setValue(500)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
        top = table.visible_rows()[0]
        await _answer(seat, "admin")
        await until(lambda: not seat.sign_in.isVisible())
        await until(lambda: table.model().index(top, 0).data())
        assert table.visible_rows()[0] == top


async def test_a_quiet_feed_notices_that_it_was_signed_out(
    take_seat: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asks for anything, and polls go on bringing nothing: the session is looked at all the same."""
    monkeypatch.setattr("cdb_desktop.live.watch._QUIET", 0.5)
    with service(tmp_path) as running:
        async with take_seat() as seat:
            await _open(seat, running.url)
            await _sign_out_elsewhere(seat, running.url)
            await until(seat.sign_in.password.hasFocus)
            assert seat.window.status.latency == "· signed out"
            await _answer(seat, "admin")
            await until(lambda: seat.window.status.latency.endswith("ms"))


async def test_signing_in_can_be_put_off(take_seat: Take, reference_server: str) -> None:
    """Then calls fail with words, the menu leads back, and everything goes on."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
        QTest.keyClick(seat.sign_in, Qt.Key.Key_Escape)
        assert "Signed out" in seat.window.notice.title
        again = seat.window.actions_by_name["sign_in"]
        assert again.isEnabled()
        again.trigger()
        await until(seat.sign_in.password.hasFocus)
        await _answer(seat, "admin")
        await until(lambda: not seat.window.notice.isVisible() and not again.isEnabled())
        await until(lambda: seat.window.status.latency.endswith("ms"))


async def test_putting_it_off_once_is_enough(take_seat: Take, reference_server: str) -> None:
    """Calls that come later fail with words and ask nobody again; the way back stays in sight."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
        QTest.keyClick(seat.sign_in, Qt.Key.Key_Escape)
        for _ in range(3):
            with pytest.raises(SessionLostError):
                await seat.client.event(1)
            seat.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(0.2)
            assert not seat.sign_in.isVisible()
        step = seat.opened[0].live_view.strip.findChild(QPushButton, "live.step")
        assert isinstance(step, QPushButton)
        assert (step.isVisible(), step.text()) == (True, "Sign in again")
        again = seat.window.status.findChild(QPushButton, "status.sign_in")
        assert isinstance(again, QPushButton)
        assert (again.isVisible(), again.text()) == (True, "Sign in again")
        again.click()
        await until(seat.sign_in.password.hasFocus)
        QTest.keyClick(seat.sign_in, Qt.Key.Key_Escape)
        assert not seat.sign_in.isVisible()
        step.click()
        await until(seat.sign_in.password.hasFocus)
        await _answer(seat, "admin")
        await until(lambda: seat.window.status.latency.endswith("ms"))
        assert (await seat.client.event(1)).id == 1
        assert not again.isVisible()


async def test_the_feed_says_the_same_as_the_status_bar(
    take_seat: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signed out is signed out, also when the service goes away and comes back meanwhile."""
    monkeypatch.setattr("cdb_desktop.live.watch._QUIET", 0.5)
    with service(tmp_path) as running:
        async with take_seat() as seat:
            await _open(seat, running.url)
            strip = seat.opened[0].live_view.strip
            await _sign_out_elsewhere(seat, running.url)
            await until(seat.sign_in.password.hasFocus)
            for _ in range(4):
                await asyncio.sleep(0.4)
                assert strip.words == "Not signed in"
                assert seat.window.status.latency == "· signed out"
            QTest.keyClick(seat.sign_in, Qt.Key.Key_Escape)
            running.stop()
            seat.window.actions_by_name["refresh"].trigger()
            await asyncio.sleep(1)
            assert (strip.words, seat.window.status.latency) == ("Not signed in", "· signed out")
            running.start()
            seat.window.actions_by_name["sign_in"].trigger()
            await until(seat.sign_in.password.hasFocus)
            await _answer(seat, "admin")
            await until(lambda: strip.words.startswith("Following"))
            assert seat.window.status.latency.endswith("ms")


async def test_a_server_with_another_log_is_gone_on_with(take_seat: Take, tmp_path: Path) -> None:
    """It comes back at its address without the session, and even rights may be others now."""
    with service(tmp_path) as running:
        async with take_seat() as seat:
            await _open(seat, running.url, otherwise="admin")
            running.stop()
            await until(lambda: seat.window.status.latency == "· no answer")
            running.start("another.sqlite")
            await until(lambda: seat.window.status.latency.endswith("ms"), 20)
            assert not seat.sign_in.isVisible()


async def test_actions_follow_the_rights_of_the_new_session(
    take_seat: Take, reference_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was allowed may be forbidden after signing in again, and says which right is missing."""
    async with take_seat() as seat:
        await _open(seat, reference_server, otherwise="admin")
        assert seat.window.actions_by_name["filter"].isEnabled()
        # The reference server has no way to take a right from somebody.
        monkeypatch.setattr(Session, "allows", lambda _session, _right: False)
        await _end_session(seat, reference_server)
        await until(lambda: not seat.window.actions_by_name["filter"].isEnabled())
        assert "system.api.event.get" in seat.window.actions_by_name["filter"].toolTip()


async def test_giving_up_leaves_the_connection(take_seat: Take, reference_server: str) -> None:
    """The sheet goes with it."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
        seat.sign_in.disconnect_requested.emit()
        await until(seat.window.start.choices.isVisible)
        assert not seat.desk.is_taken


async def test_everything_can_be_taken_down_while_it_asks(take_seat: Take, reference_server: str) -> None:
    """What waits for the session ends with the connection, and nothing is reported."""
    async with take_seat() as seat:
        await _open(seat, reference_server)
        await _end_session(seat, reference_server)
        await until(seat.sign_in.password.hasFocus)
    assert seat.window.status.who == "Not connected"


async def _open(seat: Seat, url: str, otherwise: str = "") -> Session:
    """Opens a connection; without ``otherwise`` nobody knows its password afterwards."""
    seat.door.begin(Options(server=url, login="root", password="admin"))
    await until(lambda: seat.opened)
    await until(lambda: seat.window.status.latency.endswith("ms"))
    if not otherwise:
        _forget(seat)
    assert seat.client.session is not None
    return seat.client.session


def _forget(seat: Seat) -> None:
    async def nothing() -> str:
        return ""

    assert seat.desk._renewal is not None
    force_setattr(seat.desk._renewal._connection, "remembered", nothing)


async def _end_session(seat: Seat, url: str) -> None:
    """Signs the window's session out and has a pane notice."""
    await _sign_out_elsewhere(seat, url)
    # Polls of a session that is not signed in bring nothing, and no error either (§4.2).
    seat.window.actions_by_name["refresh"].trigger()


async def _sign_out_elsewhere(seat: Seat, url: str) -> None:
    """As somebody else could who knows the token."""
    assert seat.client.session is not None
    async with httpx.AsyncClient() as other:
        address = f"{url}/api/v1/session/deauthenticate"
        answer = await other.post(address, params={"token": seat.client.session.token})
    assert answer.status_code == 200


async def _answer(seat: Seat, password: str) -> None:
    # Until then keys would go through the shortcuts of the window below.
    await until(seat.sign_in.isActiveWindow)
    seat.sign_in.password.clear()
    QTest.keyClicks(seat.sign_in.password, password)
    QTest.keyClick(seat.sign_in.password, Qt.Key.Key_Return)
