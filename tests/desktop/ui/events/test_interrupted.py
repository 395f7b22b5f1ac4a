"""Tests of notices at the next start after the program was killed during an export or deletion."""

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
from PySide6.QtWidgets import QPushButton

from cdb_desktop.events.export.checkpoint import checkpoint_path
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until, wait_until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events.conftest import OpenBrowser, bars, export_controller
from tests.desktop.ui.events.gate import Gate
from tests.desktop.ui.events.killed_browser import HOME
from tests.desktop.ui.finding import awaited_child, child_of
from tests.server import serving

EVENTS = 2_500
Start = Callable[..., AbstractAsyncContextManager[EventsView]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A server whose events may be deleted."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", str(EVENTS)) as url:
        yield url


@pytest.fixture
def start(server: str, open_browser: OpenBrowser) -> Start:
    """Returns a context manager with the browser of the next start and its rows."""

    @asynccontextmanager
    async def starting(profile_key: ProfileKey = HOME) -> AsyncIterator[EventsView]:
        signed_in = sign_in_at(server)()
        async with signed_in as client, open_browser(client, profile_key) as (view, controller):
            controller.load()
            await until(lambda: view.model.rowCount() > 1_000)
            yield view

    return starting


def run_and_kill(
    server: str, settings: QSettings, target: Path, what: str, is_far: Callable[[], object]
) -> None:
    """Runs the program and kills it in the middle of its work."""
    settings.sync()
    words = ["-m", "tests.desktop.ui.events.killed_browser", server, settings.fileName(), str(target), what]
    with subprocess.Popen([sys.executable, *words]) as process:
        try:
            wait_until(is_far)
        finally:
            process.kill()


def press(bar: ActionNotice, name: str) -> None:
    """Clicks the button with this text."""
    button = child_of(bar, QPushButton, name)
    button.click()


def rights(bar: ActionNotice, actions: Actions, allows: Callable[[str], bool]) -> str:
    """Returns the reason why work cannot be continued with these rights of the session."""
    actions.offer(allows)
    button = child_of(bar, QPushButton, "unfinished.go_on")
    assert button.isEnabled() is not bool(button.toolTip())
    return button.toolTip()


def rows_of(target: Path) -> int:
    """The number of rows in the state file of an export."""
    try:
        return int(msgspec.json.decode(checkpoint_path(target).read_bytes())["kept"]["rows"])
    except (OSError, msgspec.MsgspecError):
        return 0


def note_of(settings: QSettings) -> dict[str, object]:
    """The only file about interrupted work, or an empty string."""
    found = list((Path(settings.fileName()).parent / "unfinished").glob("*.json"))
    try:
        return msgspec.json.decode(found[0].read_bytes(), type=dict[str, object]) if found else {}
    except OSError:
        return {}


def left_of(target: Path) -> list[Path]:
    """The files of an export."""
    return list(target.parent.glob(f"{target.name}*"))


async def test_a_killed_export_can_be_continued(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """The notice shows target and progress; a session at another service has no notice."""
    target = tmp_path / "all.jsonl"
    run_and_kill(server, settings, target, "export", lambda: rows_of(target) == 1_999)
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


async def test_an_export_continues_after_the_program_was_closed(
    server: str, open_browser: OpenBrowser, start: Start, tmp_path: Path
) -> None:
    """As after a crash; what the user has cancelled leaves nothing."""
    closed, cancelled = tmp_path / "closed.jsonl", tmp_path / "cancelled.jsonl"
    gate = Gate()
    async with sign_in_at(server)(transport=gate) as client, open_browser(client, HOME) as (view, controller):
        controller.load()
        await until(lambda: view.model.rowCount() > 1_000)
        gate.close("offset=1998")
        for target in (closed, cancelled):
            export_controller(view).export(target, ExportOptions("jsonl"))
        await until(lambda: rows_of(closed) == rows_of(cancelled) == 1_999)
        controller._tasks.give_up("events.export.2")
        await until(lambda: left_of(cancelled) == [])
    async with start() as view:
        (bar,) = bars(view)
        assert str(closed) in bar.text
        press(bar, "unfinished.go_on")
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported")
    ids = [msgspec.json.decode(line)["event"]["_id"] for line in closed.read_bytes().splitlines()]
    assert ids == list(range(1, len(ids) + 1))


async def test_a_killed_export_can_be_discarded(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """The notice appears at each start until then; no file is left, and no token was stored."""
    target = tmp_path / "all.jsonl"
    run_and_kill(server, settings, target, "export", lambda: rows_of(target) == 1_999)
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


async def test_a_killed_deletion_can_be_continued(
    start: Start,
    server: str,
    settings: QSettings,
    actions: Actions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The notice shows progress and backup; continuing requires the dialog and the number of events."""
    backup = tmp_path / "gone.jsonl"
    run_and_kill(server, settings, backup, "delete", lambda: note_of(settings).get("gone") == 1_000)
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
        reasons = [
            rights(bar, actions, allowed) for allowed in (lambda right: "delete" not in right, lambda _: True)
        ]
        assert reasons == ["Requires the right system.api.event.delete.", ""]
        press(bar, "unfinished.go_on")
        dialog = await awaited_child(view, DeletionDialog)
        assert dialog.windowTitle() == f"Delete {QLocale().toString(kept - 1_000)} events"
        assert not dialog.accept_button.isEnabled()
        QTest.keyClicks(dialog.typed, str(kept - 1_000))
        dialog.path.setText(str(tmp_path / "rest.jsonl"))
        dialog.accept_button.click()
        await until(lambda: view.notice.isVisible() and view.notice.title == "Deleted")
        await until(lambda: view.model.rowCount() < before)
        assert bars(view) == []
    assert len((tmp_path / "rest.jsonl").read_bytes().splitlines()) == kept - 1_000
    assert note_of(settings) == {}


async def test_a_dismissed_notice_does_not_reappear(
    start: Start, server: str, settings: QSettings, tmp_path: Path
) -> None:
    """Closing the notice deletes nothing and keeps the backup."""
    backup = tmp_path / "gone.jsonl"
    run_and_kill(server, settings, backup, "delete", lambda: note_of(settings).get("gone") == 1_000)
    async with start() as view:
        (bar,) = bars(view)
        bar._close.click()
        assert bars(view) == []
    async with start() as view:
        assert bars(view) == []
    assert backup.exists()
