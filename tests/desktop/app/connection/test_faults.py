"""Tests of a real window behind a proxy that damages the answers of a real service."""

import asyncio
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import force_setattr
from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.connection import renewal
from cdb_desktop.app.connection.passwords import Secrets
from cdb_desktop.app.options import Options
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.processes import environment
from tests.desktop.patience import until
from tests.faults import faults
from tests.faults.proxy import FaultProxy, fault_proxy

SIGN_IN = "/session/authenticate"


@pytest.fixture
def proxy(reference_server: str) -> Iterator[FaultProxy]:
    """A proxy that passes everything on unchanged."""
    with fault_proxy(reference_server) as proxy:
        yield proxy


async def _open(app: AppWindow, proxy: FaultProxy) -> None:
    app.controller.start(Options(server=proxy.url, login="root", password="admin"))
    await until(lambda: app.opened and app.opened[0].events_view.has_rows)
    await until(lambda: app.opened[0].live_view.strip.status.text().startswith("Following"))


async def _pending_requests(proxy: FaultProxy) -> None:
    """Waits until no more requests arrive: those that were under way finish, and no new ones are sent."""
    requests = -1
    while requests != len(proxy.asked):
        requests = len(proxy.asked)
        await asyncio.sleep(1.2)


def _step(app: AppWindow) -> QPushButton:
    found = app.opened[0].live_view.strip.findChild(QPushButton, "live.step")
    assert isinstance(found, QPushButton)
    return found


async def test_a_service_that_loses_every_session_is_not_flooded(
    open_app: OpenApp, proxy: FaultProxy
) -> None:
    """After three sign-ins a notice offers to sign in; it works as soon as sessions last again."""
    async with open_app() as app:
        await _open(app, proxy)
        proxy.forget()
        proxy.break_with(faults.refusal("user", "session_invalid"), spare=SIGN_IN)
        app.window.actions_by_name["refresh"].trigger()
        await until(app.window.notice.isVisible)
        assert app.window.notice.title == "The service forgets every sign-in"
        await _pending_requests(proxy)
        assert proxy.count(SIGN_IN) == 3
        assert not app.sign_in.isVisible()
        assert app.opened[0].live_view.strip.status.text() == "Not signed in"
        again = app.window.actions_by_name["sign_in"]
        assert again.isEnabled()
        proxy.heal()
        again.trigger()
        await until(lambda: app.window.status.latency.text().endswith("ms"))
        assert not app.window.notice.isVisible()
        assert not again.isEnabled()
        # The sign-in after the pause is not needed any more.
        assert "renewal.delayed" not in {task.get_name() for task in asyncio.all_tasks()}


async def test_the_program_signs_in_again_after_a_pause(
    open_app: OpenApp, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is one attempt after each pause, and the pauses grow."""
    monkeypatch.setattr(renewal, "_DELAY", 0.4)
    async with open_app() as app:
        await _open(app, proxy)
        proxy.forget()
        proxy.break_with(faults.refusal("user", "session_invalid"), spare=SIGN_IN)
        app.window.actions_by_name["refresh"].trigger()
        await until(lambda: proxy.count(SIGN_IN) == 6)
        at = [one.at for one in proxy.asked if SIGN_IN in one.path]
        # 0.4, 0.8 and 1.6 seconds; a busy machine adds to each.
        assert at[5] - at[2] > 2
        proxy.heal()
        await until(lambda: app.window.status.latency.text().endswith("ms"))
        assert not app.window.notice.isVisible()


async def test_a_failing_service_is_requested_at_a_limited_rate(open_app: OpenApp, proxy: FaultProxy) -> None:
    """Rows, counts and polls send at most one request a second, and one at once on request."""
    async with open_app() as app:
        await _open(app, proxy)
        view = app.opened[0].events_view
        await until(lambda: view.model.rowCount() >= 2000)
        proxy.break_with(faults.status(503))
        app.window.actions_by_name["refresh"].trigger()
        view.table.scrollToBottom()
        strip = app.opened[0].live_view.strip
        await until(lambda: "HTTP 503" in strip.status.text())
        proxy.forget()
        began = time.monotonic()
        await asyncio.sleep(6)
        assert len(proxy.asked) <= time.monotonic() - began
        # Early in a pause, which the click ends.
        await until(lambda: _pause(strip.status.text()) > 4, 60)
        proxy.heal()
        proxy.forget()
        due = time.monotonic() + _pause(strip.status.text()) - 1
        _step(app).click()
        await until(lambda: strip.status.text().startswith("Following"))
        assert proxy.asked[0].at < due
        await until(lambda: view.model.event_at(view.model.rowCount() - 1))


def _pause(status: str) -> int:
    """The seconds until the next attempt as the strip shows them, 0 during one."""
    found = re.search(r"again in (\d+) s", status)
    return int(found[1]) if found else 0


async def test_the_requested_wait_is_shown_and_observed(open_app: OpenApp, proxy: FaultProxy) -> None:
    """A limit with Retry-After is shown, and no call is repeated before it has passed."""
    async with open_app() as app:
        await _open(app, proxy)
        proxy.break_with(faults.status(429, retry_after=30))
        strip = app.opened[0].live_view.strip
        await until(lambda: "HTTP 429" in strip.status.text() and "trying again in 2" in strip.status.text())
        await _pending_requests(proxy)
        proxy.forget()
        await asyncio.sleep(3)
        assert proxy.asked == []
        proxy.heal()
        _step(app).click()
        await until(lambda: strip.status.text().startswith("Following"), 3)


async def test_access_denied_by_a_gateway_can_be_retried(open_app: OpenApp, proxy: FaultProxy) -> None:
    """The placeholders of rows and schema offer a retry; the rights of the session do not change."""
    async with open_app() as app:
        await _open(app, proxy)
        view, actions = app.opened[0].events_view, app.window.actions_by_name
        proxy.break_with(faults.status(403))
        actions["refresh"].trigger()
        picture = view.empty_page.state
        await until(lambda: picture.text.startswith("A gateway or firewall"))
        assert picture.step == "Try again"
        actions["schema"].setChecked(True)
        page = app.opened[0].schema.view
        other = page.findChild(EmptyState)
        assert isinstance(other, EmptyState)
        await until(lambda: other.text.startswith("A gateway or firewall"))
        assert other.step == "Try again"
        proxy.heal()
        other.step_requested.emit()
        await until(lambda: page.diagram.has_picture)
        actions["events"].setChecked(True)
        picture.step_requested.emit()
        await until(lambda: view.has_rows)
        assert view.panels.histogram.isVisible()


async def test_large_answers_do_not_block_the_window(open_app: OpenApp, proxy: FaultProxy) -> None:
    """Polls of 100 MB are received in parts and decoded without blocking the window."""
    async with open_app() as app:
        await _open(app, proxy)
        longest = last = 0.0

        async def beat() -> None:
            nonlocal longest, last
            # Processor time: other programs may stop this one.
            last = time.thread_time()
            while True:
                await asyncio.sleep(0.01)
                now = time.thread_time()
                longest, last = max(longest, now - last), now

        beating = asyncio.create_task(beat())
        proxy.break_with(faults.huge_events(1000, 100_000), path="/event/poll")
        view = app.opened[0].live_view
        before = view.model.rowCount()
        await until(lambda: view.model.rowCount() > before + 100)
        beating.cancel()
        assert longest < 1.0


async def test_a_record_that_is_nested_too_deeply_has_its_own_row(
    open_app: OpenApp, proxy: FaultProxy
) -> None:
    """All other records are shown, and no failure is reported."""
    async with open_app() as app:
        proxy.break_with(faults.nested_events(listed=True), path="/event/list")
        app.controller.start(Options(server=proxy.url, login="root", password="admin"))
        await until(lambda: app.opened and app.opened[0].events_view.has_rows)
        view = app.opened[0].events_view
        shown = [view.model.event_at(row) for row in range(5)]
        assert [event.id if event else None for event in shown] == [1, 2, None, 4, 5]
        cells = [str(view.model.index(2, column).data()) for column in range(view.model.columnCount())]
        assert "Its values are nested too deeply." in cells


async def test_a_changed_password_is_requested(open_app: OpenApp, proxy: FaultProxy) -> None:
    """If the stored password is refused, the dialog asks for another one and shows the reason."""
    async with open_app() as app:
        await _open(app, proxy)

        async def old() -> Secrets:
            return Secrets("the old one")

        assert app.session._renewal is not None
        force_setattr(app.session._renewal._connection, "remembered", old)
        proxy.break_with(faults.refusal("user", "session_invalid"), path="/event")
        app.window.actions_by_name["refresh"].trigger()
        await until(app.sign_in.isVisible)
        assert "did not accept" in app.sign_in.hint.text()
        proxy.heal()


_RAISING = """
import os, sys
os.umask(0)
given = os.environ["CDB_PASSWORD"]
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from cdb_desktop.app.application import Application
from cdb_desktop.client import redaction

def step():
    windows = [one for one in QApplication.topLevelWidgets() if hasattr(one, "notice")]
    tokens = [one for one in redaction.known_secrets if one != given]
    if not windows or not windows[0].isVisible() or not tokens:
        QTimer.singleShot(50, step)
        return
    QTimer.singleShot(0, fail)
    QTimer.singleShot(200, lambda: tell(windows[0]))

def fail():
    (token,) = [one for one in redaction.known_secrets if one != given]
    raise RuntimeError(f"GET http://root:pw-77@db/x?TOKEN={token.upper()}&a=1 and {token} with it")

def tell(window):
    print("TITLE", window.notice.title)
    print("TEXT", window.notice.text)
    print("TOKENS", *redaction.known_secrets, sep="|")
    window.close()

main = Application.main
def begin(self, early):
    QTimer.singleShot(0, step)
    return main(self, early)
Application.main = begin
from cdb_desktop.__main__ import main as run
sys.argv = ["cdb-desktop", *sys.argv[1:]]
sys.exit(run())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks at permissions")
def test_an_unexpected_error_reveals_no_secret(proxy: FaultProxy, tmp_path: Path) -> None:
    """Window, stderr and log contain no secret, and the log is readable by its owner only."""
    given = environment(tmp_path) | {"CDB_PASSWORD": "admin"}
    command = [sys.executable, "-c", _RAISING, "--server", proxy.url, "--login", "root"]
    done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=60, check=False)
    output = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    assert output["TITLE"] == "This program made a mistake", done.stderr
    assert "RuntimeError: GET http://•••@db/x?TOKEN=•••&a=1 and ••• with" in output["TEXT"]
    tokens = [one for one in done.stdout.partition("TOKENS|")[2].strip().split("|") if one != "admin"]
    assert tokens
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    logs = "".join(file.read_text("utf-8") for file in written if file.suffix == ".log")
    assert "RuntimeError" in logs
    assert "RuntimeError" in done.stderr
    for token in tokens:
        for text in (output["TEXT"], logs, done.stderr):
            assert token.lower() not in text.lower()
            assert "pw-77" not in text
    for file in written:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
    assert any("crashes" in file.name for file in written)
