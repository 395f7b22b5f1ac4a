"""Simulated faults in a real window with the demo: switched on and off, marked, and only there."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.demo_features import FaultSimulation
from cdb_desktop.app.options import Options
from cdb_desktop.client import AnswerError, ServerError
from cdb_desktop.ui.shell.demo_dialogs import FaultsDialog
from server_stub.http.chaos import FAULTS
from tests.chaos import Chaos, chaos_of
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import service
from tests.desktop.patience import until


@asynccontextmanager
async def simulating(open_app: OpenApp) -> AsyncIterator[AppWindow]:
    """A window that can simulate faults."""
    async with open_app() as app:
        FaultSimulation(app.window, app.session, app.session._tasks, app.context)
        yield app


def mark(app: AppWindow) -> QPushButton:
    """The mark in the status bar."""
    found = app.window.findChild(QPushButton, "status.faults")
    assert found is not None
    return found


async def opened(app: AppWindow) -> FaultsDialog:
    """The dialog, opened by the action."""
    app.window.actions_by_name["faults"].trigger()
    await until(lambda: app.window.findChildren(FaultsDialog))
    (dialog,) = app.window.findChildren(FaultsDialog)
    return dialog


async def switch(app: AppWindow, dialog: FaultsDialog, fault: str) -> None:
    """Switches a fault on if it is off, or off, until the mark shows that."""
    is_on = fault in dialog.chosen
    items = map(dialog.list.item, range(dialog.list.count()))
    item = next(item for item in items if item.data(Qt.ItemDataRole.UserRole) == fault)
    item.setCheckState(Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)
    await until(lambda: mark(app).isVisible() is not is_on)


def texts(dialog: FaultsDialog) -> list[str]:
    """The faults as the dialog lists them, with their counts."""
    return [dialog.list.item(row).text() for row in range(dialog.list.count())]


async def simulate(app: AppWindow, fault: str) -> None:
    """Switches a fault on in the dialog."""
    dialog = await opened(app)
    await switch(app, dialog, fault)
    dialog.cancel_button.click()
    await until(lambda: not app.window.findChildren(FaultsDialog))


async def test_faults_are_switched_on_and_off(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo answers with faults while the mark is visible, which opens the dialog again; it counts."""
    monkeypatch.setattr("cdb_desktop.app.demo_features.RATE", 1.0)
    monkeypatch.setattr("cdb_desktop.app.demo_features._INTERVAL", 50)
    async with simulating(open_app) as app:
        action = app.window.actions_by_name["faults"]
        assert not action.isEnabled()
        app.controller.start(Options(demo=True))
        await until(lambda: app.opened)
        assert action.isEnabled()
        assert not mark(app).isVisible()
        await simulate(app, "database-error")
        assert mark(app).isVisible()
        with pytest.raises(ServerError) as caught:
            await app.client.config()
        assert caught.value.code == "error.server.database"
        mark(app).click()
        await until(lambda: app.window.findChildren(FaultsDialog))
        (dialog,) = app.window.findChildren(FaultsDialog)
        assert dialog.chosen == ("database-error",)
        before = texts(dialog)
        with pytest.raises(ServerError):
            await app.client.config()
        await until(lambda: texts(dialog) != before)
        await switch(app, dialog, "database-error")
        app.client.try_now()
        assert await app.client.config()


async def test_the_mark_ends_with_the_demo(open_app: OpenApp) -> None:
    """Without a connection there is neither the mark nor the action, and an open dialog is closed."""
    async with simulating(open_app) as app:
        app.controller.start(Options(demo=True))
        await until(lambda: app.opened)
        await simulate(app, "slow-database")
        await opened(app)
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: not app.window.findChildren(FaultsDialog))
        await until(lambda: not mark(app).isVisible())
        assert not app.window.actions_by_name["faults"].isEnabled()


async def test_a_restarted_server_simulates_nothing(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks are removed, since the new process has no faults; so is one that the service refused."""
    async with simulating(open_app) as app:
        app.controller.start(Options(demo=True))
        await until(lambda: app.opened)
        dialog = await opened(app)

        async def refused(_rate: float, _chosen: object) -> None:
            raise AnswerError("not_json", status=200)

        with monkeypatch.context() as patch:
            patch.setattr(app.client, "inject_faults", refused)
            dialog.list.item(0).setCheckState(Qt.CheckState.Checked)
            await until(lambda: dialog.fault and not dialog.chosen)
        await switch(app, dialog, "slow-database")
        connection = app.session.connection
        assert connection is not None
        assert connection.server is not None
        os.kill(connection.server.pid, signal.SIGKILL)
        await until(lambda: not mark(app).isVisible())
        assert dialog.chosen == ()


async def test_other_services_simulate_nothing(open_app: OpenApp, reference_server: str) -> None:
    """The action is disabled and says why."""
    async with simulating(open_app) as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        action = app.window.actions_by_name["faults"]
        assert not action.isEnabled()
        assert "Only with the demo." in action.toolTip()


# Rights that a session lacks or was refused stay missing until the next sign-in.
_LASTING = {"right-refused", "rights-removed"}


@pytest.mark.parametrize(
    ("faults", "series"), [(8, 0), *(pytest.param(50, n, marks=pytest.mark.long) for n in range(1, 6))]
)
async def test_the_window_recovers_from_all_faults(
    open_app: OpenApp, tmp_path: Path, faults: int, series: int
) -> None:
    """While a third of the requests fails the window goes on; afterwards everything is shown again."""
    with service(tmp_path, "--chaos", "off") as running, chaos_of(running.url) as chaos:
        async with open_app() as app:
            app.controller.start(Options(server=running.url, login="root", password="admin"))
            await until(lambda: app.opened and app.opened[0].events_view.has_rows)
            await _endure(app, chaos, faults, series)


async def _endure(app: AppWindow, chaos: Chaos, faults: int, series: int) -> None:
    pages, actions = app.opened[0], app.window.actions_by_name
    chaos.inject_randomly(0.3, series, sorted(FAULTS.keys() - _LASTING))
    while await asyncio.to_thread(lambda: chaos.injected) < faults:
        for page in ("events", "schema"):
            actions[page].setChecked(True)
            actions["refresh"].trigger()
            pages.live_view.signals.retry_requested.emit()
            await asyncio.sleep(0.5)
    chaos.end()

    def is_well() -> bool:
        # After failures the connection waits for up to half a minute, which this ends.
        pages.live_view.signals.retry_requested.emit()
        return pages.live_view.is_following and not app.sign_in.isVisible()

    await until(is_well, 60)
    actions["events"].setChecked(True)
    actions["refresh"].trigger()
    await until(lambda: pages.events_view.has_rows and "events" in pages.events_view.count.text, 60)
    actions["schema"].setChecked(True)
    actions["refresh"].trigger()
    await until(lambda: pages.schema.view.diagram.has_picture, 60)
