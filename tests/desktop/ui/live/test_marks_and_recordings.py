"""Tests of marks, recordings and notifications."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import with_only_type
from cdb_desktop.ui.live.notifications import FeedNotifier, WindowNotifier
from cdb_desktop.ui.live.recording import RecordingController
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import LiveWindow


def _lines(file: Path) -> list[object]:
    read = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["event"]["_id"] if "event" in line else "mark" for line in read]


def _close_mark_popup(qtbot: QtBot, key: Qt.Key, name: str = "") -> None:
    """Types a name into the popup, which opens at once, and presses a key that closes it."""
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    assert line.objectName() == "live.mark.name"
    QTest.keyClicks(line, name)
    QTest.keyClick(line, key)
    assert QApplication.activePopupWidget() is None


def _accents_in(live: LiveWindow) -> int:
    picture = live.view.table.viewport().grab().toImage()
    accent = QColor(live.view.strip._appearance.tokens.accent).rgb()
    return sum(picture.pixel(300, y) == accent for y in range(picture.height()))


def test_a_mark_divides_the_events_before_and_after(qtbot: QtBot, live: LiveWindow) -> None:
    """In every feed."""
    assert _accents_in(live) == 0
    live.actions["live_mark"].trigger()
    assert _accents_in(live) > 0
    _close_mark_popup(qtbot, Qt.Key.Key_Escape)
    live.add(100, 3)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 103)
    assert _accents_in(live) == 2
    (marked,) = live.view.table.dividers.marks
    assert marked.number == 100
    live.scroll_to(0)
    assert _accents_in(live) == 0
    live.actions["live_new"].trigger()
    assert live.view.table.dividers.marks == (marked,)


def test_a_mark_is_named(qtbot: QtBot, live: LiveWindow) -> None:
    """In every feed, in one line; Escape leaves it without a name, and marks at one place share theirs."""
    live.actions["live_new"].trigger()
    for name, key in (("  deployed   2.4 ", Qt.Key.Key_Return), ("no", Qt.Key.Key_Escape)):
        live.actions["live_mark"].trigger()
        _close_mark_popup(qtbot, key, name)
    live.actions["live_mark"].trigger()
    _close_mark_popup(qtbot, Qt.Key.Key_Return, "tested")
    live.add(100, 3)
    live.actions["live_mark"].trigger()
    _close_mark_popup(qtbot, Qt.Key.Key_Return)
    for pane in live.view.panes:
        assert [one.name for one in pane.table.dividers.marks] == ["deployed 2.4, tested", ""]


def test_going_to_the_end_leaves_a_divider(qtbot: QtBot, live: LiveWindow) -> None:
    """Above the events that came meanwhile."""
    live.scroll_to(50)
    live.add(100, 60)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 160)
    live.view.table.follow()
    assert [one.number for one in live.view.table.dividers] == [100]
    assert not live.view.table.dividers.marks


def test_events_while_the_window_was_inactive_have_a_divider(qtbot: QtBot, live: LiveWindow) -> None:
    QCoreApplication.sendEvent(live.view, QEvent(QEvent.Type.WindowDeactivate))
    assert _accents_in(live) == 0
    live.add(100, 3)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 103)
    assert _accents_in(live) == 2


def test_a_recording_has_events_and_marks(qtbot: QtBot, live: LiveWindow, tmp_path: Path) -> None:
    """From the action through the dialog to the notice."""
    recorder = RecordingController(live.view, live.actions)
    live.actions["live_record"].trigger()
    dialog = child_of(live.view, QFileDialog, "live.record.dialog")
    file = tmp_path / "feed.jsonl"
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(file.name)
    dialog.accept()
    assert recorder.incoming.recording is not None
    recorder.write([live.view.model.event_at(3), live.view.model.event_at(4)])
    qtbot.waitUntil(lambda: live.view.findChild(QFileDialog, "live.record.dialog") is None)
    live.actions["live_mark"].trigger()
    recorder.write([live.view.model.event_at(5)])
    _close_mark_popup(qtbot, Qt.Key.Key_Return, "restarted")
    recorder.show_progress()
    assert live.view.strip.recording.text() == "● recording 3 · feed.jsonl"
    assert live.actions["live_record"].isChecked()
    live.actions["live_record"].trigger()
    assert _lines(file) == [3, 4, 5, "mark"]
    assert json.loads(file.read_text().splitlines()[-1])["name"] == "restarted"
    assert recorder.incoming.notice.title == "Events written: 3"
    recorder.write([live.view.model.event_at(6)])
    assert len(_lines(file)) == 4


def test_a_cancelled_dialog_records_nothing(qtbot: QtBot, live: LiveWindow) -> None:
    recorder = RecordingController(live.view, live.actions)
    live.actions["live_record"].trigger()
    dialog = child_of(live.view, QFileDialog, "live.record.dialog")
    dialog.reject()
    assert not live.actions["live_record"].isChecked()
    assert recorder.incoming.recording is None


def test_a_file_that_cannot_be_written_has_a_notice(live: LiveWindow, tmp_path: Path) -> None:
    """At the beginning, and later when the disk is full."""
    recorder = RecordingController(live.view, live.actions)
    recorder.incoming.begin(tmp_path / "nowhere" / "feed.jsonl")
    assert recorder.incoming.notice.title == "Not recorded"
    recorder.incoming.notice.hide()
    if not Path("/dev/full").exists():
        pytest.skip("there is no full disc here")
    recorder.incoming.begin(Path("/dev/full"))
    recorder.write([live.view.model.event_at(3)])
    assert recorder.incoming.notice.isVisible()
    assert not live.actions["live_record"].isChecked()


def test_removed_events_can_be_recorded(qtbot: QtBot, live: LiveWindow, tmp_path: Path) -> None:
    """File and rows have all events."""
    recorder = RecordingController(live.view, live.actions)
    file = tmp_path / "before.jsonl"
    recorder.removed.begin(file)
    feed = live.view.model.feed
    feed.capacity, feed._step = 100, 10
    live.add(100, 25)
    qtbot.waitUntil(lambda: live.ids[-1] == 124)
    assert [*_lines(file), *live.ids] == list(range(125))
    recorder.removed.end()


def test_shown_events_are_notified_while_another_window_is_active(
    qtbot: QtBot, live: LiveWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off by default."""
    notifier = WindowNotifier(live.view)
    FeedNotifier(live.view, notifier)
    monkeypatch.setattr(type(live.view), "isActiveWindow", lambda _self: False)
    live.view.set_filter(with_only_type(live.view.model.feed.filter, "USER_LOGIN"))
    live.add(100, 7)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 15)
    assert notifier.recent == []
    live.actions["live_notify"].trigger()
    live.add(107, 14)
    qtbot.waitUntil(lambda: notifier.recent == ["New events: 2 · USER_LOGIN"])
    monkeypatch.setattr(type(live.view), "isActiveWindow", lambda _self: True)
    live.view.current.notifications._quiet_until = 0.0
    live.add(121, 14)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 19)
    assert len(notifier.recent) == 1
