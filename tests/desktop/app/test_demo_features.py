"""Features of the demo in a real window: snapshots and simulated faults, which no other service has."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from cdb_desktop.app.demo_features import DemoSnapshots, FaultSimulation
from cdb_desktop.client import AnswerError, ServerError
from cdb_desktop.embedded import SnapshotError, SnapshotStore
from cdb_desktop.ui.shell.demo_dialogs import FaultsDialog, RestoreSnapshotDialog, SaveSnapshotDialog
from server_stub.http.chaos import FAULTS
from tests.chaos import Chaos, chaos_of
from tests.demo_files import create_demo
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import service
from tests.desktop.patience import until
from tests.desktop.ui.finding import awaited_child, child_of


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A folder of the demo without snapshots."""
    folder = tmp_path / "demo"
    folder.mkdir()
    create_demo(folder / "demo.sqlite", 2000)
    return folder


def notice(app: AppWindow) -> str:
    """What the notice of the window says."""
    return " ".join(label.text() for label in app.window.notice.findChildren(QLabel))


@asynccontextmanager
async def demo_window(open_app: OpenApp) -> AsyncIterator[AppWindow]:
    """A window with the demo and its snapshots."""
    async with open_app() as app:
        DemoSnapshots(app.window, app.session, app.session._tasks, app.context)
        assert not app.window.actions_by_name["snapshot_save"].isEnabled()
        await app.connect()
        yield app


async def saving(app: AppWindow) -> SaveSnapshotDialog:
    """The dialog that saves, opened by the action."""
    app.window.actions_by_name["snapshot_save"].trigger()
    return await awaited_child(app.window, SaveSnapshotDialog)


async def restoring(app: AppWindow) -> RestoreSnapshotDialog:
    """The dialog that goes back, opened by the action."""
    app.window.actions_by_name["snapshot_restore"].trigger()
    return await awaited_child(app.window, RestoreSnapshotDialog)


async def save(app: AppWindow, name: str) -> None:
    """Saves a snapshot."""
    dialog = await saving(app)
    dialog.name.setText(name)
    dialog.accept_button.click()
    await until(lambda: not app.window.findChildren(SaveSnapshotDialog))


async def test_a_commit_is_rehearsed_and_undone(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going back opens everything again with the schema and events of the snapshot, and says so.

    If that fails, the server starts again on unchanged data, and the window shows why.
    """

    def fail(_store: SnapshotStore, _name: str) -> None:
        raise SnapshotError("The disk is full.")

    async with demo_window(open_app) as app:
        before = (await app.client.schema("CURRENT"), (await app.client.schema("HEAD")))
        await save(app, "Before the commit")
        assert "Saved the snapshot Before the commit" in notice(app)
        await app.client.commit_schema()
        assert await app.client.schema("CURRENT") != before[0]
        with monkeypatch.context() as patched:
            patched.setattr(SnapshotStore, "restore", fail)
            (await restoring(app)).accept_button.click()
            await until(lambda: "The disk is full." in notice(app))
        app.client.try_now()
        assert await app.client.schema("CURRENT") != before[0]
        dialog = await restoring(app)
        assert dialog.list.item(0).text().startswith("Before the commit  ·  ")
        opened, old = len(app.opened), app.session.connection
        dialog.accept_button.click()
        await until(lambda: len(app.opened) > opened)
        assert app.session.connection is not old
        assert "Back to the snapshot Before the commit" in notice(app)
        after = (await app.client.schema("CURRENT"), (await app.client.schema("HEAD")))
        assert after == before
        connection = app.session.connection
        assert connection is not None
        assert connection.server is not None
        assert not connection.server.folder.is_copy


@pytest.mark.long
async def test_snapshots_are_named_and_removed(open_app: OpenApp) -> None:
    """A proposed name is unused, a used one is refused, and a removed snapshot leaves the list."""
    async with demo_window(open_app) as app:
        dialog = await restoring(app)
        assert not dialog.accept_button.isEnabled()
        dialog.close()
        await until(lambda: not app.window.findChildren(RestoreSnapshotDialog))
        await save(app, "Snapshot 1")
        naming = await saving(app)
        assert naming.name.text() == "Snapshot 2"
        naming.name.setText("Snapshot 1")
        assert naming.fault
        assert not naming.accept_button.isEnabled()
        naming.name.setText("../up")
        naming.accept_button.click()
        await until(lambda: "cannot name a snapshot" in naming.fault)
        naming.close()
        dialog = await restoring(app)
        dialog.remove_button.click()
        await until(lambda: dialog.list.count() == 0)


async def test_other_services_have_none_of_it(open_app: OpenApp, reference_server: str) -> None:
    """The actions are disabled and say why."""
    async with open_app() as app:
        for feature in (DemoSnapshots, FaultSimulation):
            feature(app.window, app.session, app.session._tasks, app.context)
        await app.connect(reference_server)
        for name in ("snapshot_save", "snapshot_restore", "faults"):
            action = app.window.actions_by_name[name]
            assert not action.isEnabled()
            assert "Only with the demo." in action.toolTip()


def test_the_words_of_the_server_are_the_reason(tmp_path: Path) -> None:
    """Without its prefix."""
    missing = tmp_path / "missing.sqlite"
    with pytest.raises(SnapshotError) as caught:
        SnapshotStore(missing).save("one")
    assert caught.value.parameters["reason"] == f"There is no database {missing}."


def test_reasons_are_read_in_every_locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's program writes UTF-8, also where that is not the encoding of output."""
    for name, value in {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SnapshotError, match="There is no snapshot Größe"):
        SnapshotStore(tmp_path / "demo.sqlite").restore("Größe")


@asynccontextmanager
async def simulating(open_app: OpenApp) -> AsyncIterator[AppWindow]:
    """A window that can simulate faults."""
    async with open_app() as app:
        FaultSimulation(app.window, app.session, app.session._tasks, app.context)
        yield app


def mark(app: AppWindow) -> QPushButton:
    """The mark in the status bar."""
    return child_of(app.window, QPushButton, "status.faults")


async def opened_faults(app: AppWindow) -> FaultsDialog:
    """The dialog, opened by the action."""
    app.window.actions_by_name["faults"].trigger()
    return await awaited_child(app.window, FaultsDialog)


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


async def test_faults_are_switched_on_and_off(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo answers with faults while the mark is visible, which opens the dialog again; it counts.

    Without a connection there is neither the mark nor the action, and an open dialog is closed.
    """
    monkeypatch.setattr("cdb_desktop.app.demo_features.RATE", 1.0)
    monkeypatch.setattr("cdb_desktop.app.demo_features._INTERVAL", 50)
    async with simulating(open_app) as app:
        action = app.window.actions_by_name["faults"]
        assert not action.isEnabled()
        await app.connect()
        assert action.isEnabled()
        assert not mark(app).isVisible()
        dialog = await opened_faults(app)
        await switch(app, dialog, "database-error")
        dialog.cancel_button.click()
        await until(lambda: not app.window.findChildren(FaultsDialog))
        assert mark(app).isVisible()
        with pytest.raises(ServerError) as caught:
            await app.client.config()
        assert caught.value.code == "error.server.database"
        mark(app).click()
        dialog = await awaited_child(app.window, FaultsDialog)
        assert dialog.chosen == ("database-error",)
        before = texts(dialog)
        with pytest.raises(ServerError):
            await app.client.config()
        await until(lambda: texts(dialog) != before)
        await switch(app, dialog, "database-error")
        app.client.try_now()
        assert await app.client.config()
        await switch(app, dialog, "slow-database")
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: not app.window.findChildren(FaultsDialog))
        await until(lambda: not mark(app).isVisible())
        assert not action.isEnabled()


async def test_a_restarted_server_simulates_nothing(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks are removed, since the new process has no faults; so is one that the service refused."""
    async with simulating(open_app) as app:
        await app.connect()
        dialog = await opened_faults(app)

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
            pages = await app.connect(running.url)
            await until(lambda: pages.events_view.has_rows)
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
