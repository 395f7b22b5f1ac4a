"""Tests of what a start tells of work in the middle of which the program before was really killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QLocale, QSettings
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.events.export.checkpoint import checkpoint_path
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.deletion.dialog import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until, wait_until
from tests.desktop.ui.events.conftest import bars
from tests.desktop.ui.events.doomed import HOME
from tests.server import serving

EVENTS = 2_500
Start = Callable[..., AbstractAsyncContextManager[EventsView]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server whose events may go."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", str(EVENTS)) as url:
        yield url


@pytest.fixture
def start(server: str, qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions) -> Start:
    """The browser at the next start, with its rows."""

    @asynccontextmanager
    async def starting(home: ProfileKey = HOME) -> AsyncIterator[EventsView]:
        view = EventsView(appearance, settings, actions)
        qtbot.addWidget(view)
        view.resize(1100, 600)
        view.show()
        async with Client(server) as client, Tasks(_raise) as tasks:
            await client.authenticate("root", "admin")
            controller = EventsController(view, client, tasks, home)
            controller.load()
            await until(lambda: view.model.rowCount() > 1_000)
            yield view

    return starting


def _raise(error: Exception) -> None:
    raise error


def killed(server: str, settings: QSettings, target: Path, what: str, is_far: Callable[[], object]) -> None:
    """The program, killed in the middle of its work as soon as that is far enough."""
    settings.sync()
    words = (server, settings.fileName(), str(target), what)
    with subprocess.Popen([sys.executable, "-m", "tests.desktop.ui.events.doomed", *words]) as process:
        try:
            wait_until(is_far, 30)
        finally:
            process.kill()


def press(bar: ActionNotice, name: str) -> None:
    """Presses what is offered under a name."""
    button = bar.findChild(QPushButton, name)
    assert isinstance(button, QPushButton)
    button.click()


def rights(bar: ActionNotice, actions: Actions, allows: Callable[[str], bool]) -> str:
    """Why nobody can go on while the session has these rights, which may be withdrawn at any time."""
    actions.offer(allows)
    button = bar.findChild(QPushButton, "unfinished.go_on")
    assert isinstance(button, QPushButton)
    assert button.isEnabled() is not bool(button.toolTip())
    return button.toolTip()


def shut(bar: ActionNotice) -> None:
    """Closes a notice without doing anything about it."""
    button = bar.findChild(QToolButton, "notice.close")
    assert isinstance(button, QToolButton)
    button.click()


def rows_of(target: Path) -> int:
    """How many rows the state beside an export tells."""
    try:
        return int(msgspec.json.decode(checkpoint_path(target).read_bytes())["kept"]["rows"])
    except (OSError, msgspec.MsgspecError):
        return 0


def note_of(settings: QSettings) -> dict[str, object]:
    """The one note that there is; empty for none."""
    found = list((Path(settings.fileName()).parent / "unfinished").glob("*.json"))
    try:
        return msgspec.json.decode(found[0].read_bytes(), type=dict[str, object]) if found else {}
    except OSError:
        return {}


def left_of(target: Path) -> list[Path]:
    """What lies beside an export and under its name."""
    return list(target.parent.glob(f"{target.name}*"))


async def test_a_killed_export_is_told_and_goes_on(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """With where it goes and how far it was; at another service nothing is told."""
    target = tmp_path / "all.jsonl"
    killed(server, settings, target, "export", lambda: rows_of(target) == 1_999)
    async with start(ProfileKey("another service", "root")) as view:
        assert bars(view) == []
    async with start() as view:
        (bar,) = bars(view)
        assert str(target) in bar.text
        assert f"interrupted after {QLocale().toString(1_999)} of " in bar.text
        press(bar, "unfinished.go_on")
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported")
        assert bars(view) == []
    ids = [msgspec.json.decode(line)["event"]["_id"] for line in target.read_bytes().splitlines()]
    assert len(ids) >= EVENTS
    assert ids == sorted(set(ids))
    assert note_of(settings) == {}
    async with start() as view:
        assert bars(view) == []


async def test_a_killed_export_can_be_thrown_away(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """Until somebody does, each start tells it; then nothing is left of it, and no token was written down."""
    target = tmp_path / "all.jsonl"
    killed(server, settings, target, "export", lambda: rows_of(target) == 1_999)
    assert "token" not in str(note_of(settings)).lower()
    async with start() as view:
        (bar,) = bars(view)
        bar._close.click()
        assert bars(view) == []
    async with start() as view:
        (bar,) = bars(view)
        press(bar, "unfinished.discard")
        assert bars(view) == []
    assert left_of(target) == []
    assert note_of(settings) == {}


async def test_a_killed_deletion_is_told_and_goes_on(
    start: Start,
    server: str,
    settings: QSettings,
    actions: Actions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what is gone and where all of it lies; what is left goes after the sheet and its number only."""
    backup = tmp_path / "gone.jsonl"
    killed(server, settings, backup, "delete", lambda: note_of(settings).get("gone") == 1_000)
    kept = len(backup.read_bytes().splitlines())
    shown: list[object] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    async with start() as view:
        (bar,) = bars(view)
        assert bar.title == "A deletion was interrupted"
        assert f"{QLocale().toString(1_000)} of {QLocale().toString(kept)} events." in bar.text
        assert str(backup) in bar.text
        press(bar, "unfinished.show")
        assert [url.toLocalFile() for url in shown] == [str(tmp_path)]  # type: ignore[attr-defined]
        before = view.model.rowCount()
        told = [
            rights(bar, actions, allowed) for allowed in (lambda right: "delete" not in right, lambda _: True)
        ]
        assert told == ["Requires the right system.api.event.delete.", ""]
        press(bar, "unfinished.go_on")
        await until(lambda: view.findChild(DeletionDialog) is not None)
        sheet = view.findChild(DeletionDialog)
        assert isinstance(sheet, DeletionDialog)
        assert sheet.windowTitle() == f"Delete {QLocale().toString(kept - 1_000)} events"
        assert not sheet.accept_button.isEnabled()
        QTest.keyClicks(sheet.typed, str(kept - 1_000))
        sheet.path.setText(str(tmp_path / "rest.jsonl"))
        sheet.accept_button.click()
        await until(lambda: view.notice.isVisible() and view.notice.title == "Deleted")
        await until(lambda: view.model.rowCount() < before)
        assert bars(view) == []
    assert len((tmp_path / "rest.jsonl").read_bytes().splitlines()) == kept - 1_000
    assert note_of(settings) == {}


async def test_a_deletion_that_was_read_about_is_told_no_more(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """Closing the notice deletes nothing and keeps the backup."""
    backup = tmp_path / "gone.jsonl"
    killed(server, settings, backup, "delete", lambda: note_of(settings).get("gone") == 1_000)
    async with start() as view:
        (bar,) = bars(view)
        bar._close.click()
        assert bars(view) == []
    async with start() as view:
        assert bars(view) == []
    assert backup.exists()
