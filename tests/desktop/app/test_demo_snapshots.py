"""Snapshots of the demo in a real window: saved, gone back to after a commit, removed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from cdb_desktop.app.demo_features import DemoSnapshots
from cdb_desktop.app.options import Options
from cdb_desktop.embedded import SnapshotError, SnapshotStore
from cdb_desktop.ui.shell.demo_dialogs import RestoreSnapshotDialog, SaveSnapshotDialog
from tests.demo_files import create_demo
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until


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
        app.controller.start(Options(demo=True))
        await until(lambda: app.opened)
        yield app


async def saving(app: AppWindow) -> SaveSnapshotDialog:
    """The dialog that saves, opened by the action."""
    app.window.actions_by_name["snapshot_save"].trigger()
    await until(lambda: app.window.findChildren(SaveSnapshotDialog))
    (dialog,) = app.window.findChildren(SaveSnapshotDialog)
    return dialog


async def restoring(app: AppWindow) -> RestoreSnapshotDialog:
    """The dialog that goes back, opened by the action."""
    app.window.actions_by_name["snapshot_restore"].trigger()
    await until(lambda: app.window.findChildren(RestoreSnapshotDialog))
    (dialog,) = app.window.findChildren(RestoreSnapshotDialog)
    return dialog


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


async def test_other_services_have_no_snapshots(open_app: OpenApp, reference_server: str) -> None:
    """The actions are disabled and say why."""
    async with open_app() as app:
        DemoSnapshots(app.window, app.session, app.session._tasks, app.context)
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        for name in ("snapshot_save", "snapshot_restore"):
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
