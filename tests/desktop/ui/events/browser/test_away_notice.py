"""Tests of the notice while rows are scrolled and the service does not respond, over real sockets."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.ui.events.browser import rows
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn, sign_in_at
from tests.desktop.ui.events.conftest import OpenBrowser, bars
from tests.desktop.ui.events.gate import Gate
from tests.desktop.ui.finding import child_of
from tests.server import serving, started


async def test_an_unreachable_service_is_reported_until_it_is_back(
    open_browser: OpenBrowser, tmp_path: Path
) -> None:
    """The notice appears after two seconds and disappears as soon as rows are loaded."""
    file = tmp_path / "own.sqlite"
    with started(file, "--demo", "--demo-events", "4000") as (process, url):
        async with sign_in_at(url)() as client, open_browser(client) as (view, controller):
            controller.load()
            await until(lambda: view.model.rowCount() >= 4000)
            process.kill()
            process.wait()
            view.table.scrollToBottom()
            await until(lambda: bars(view), 8)
            (bar,) = bars(view)
            assert bar.title == "The service does not answer"
            with serving(file, "--port", url.rpartition(":")[2]):
                again = child_of(bar, QPushButton, "events.away.again")
                again.click()
                await until(lambda: view.model.event_at(view.model.rowCount() - 1) is not None)
                assert bars(view) == []


async def test_a_silent_service_is_reported(
    open_browser: OpenBrowser, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that accepts a request and does not respond is reported."""
    monkeypatch.setattr(rows, "_SILENT", 300)
    gate = Gate()
    async with sign_in(transport=gate) as client, open_browser(client) as (view, controller):
        controller.load()
        await until(lambda: view.model.rowCount() >= 2000)
        assert bars(view) == []
        gate.close("offset=1000")
        view.table.scrollToBottom()
        await until(lambda: bars(view))
        gate.open()
        await until(lambda: not bars(view))
