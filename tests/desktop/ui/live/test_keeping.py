"""Tests of what is kept of a feed: marks, recordings, and news for somebody who looks elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.notifications import FeedNotifier
from cdb_desktop.ui.live.recording import RecordingController
from tests.desktop.ui.live.conftest import Pane


def _lines(file: Path) -> list[object]:
    read = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["event"]["_id"] if "event" in line else "mark" for line in read]


def _accents_in(pane: Pane) -> int:
    picture = pane.view.table.viewport().grab().toImage()
    accent = QColor(pane.view.strip._appearance.tokens.accent).rgb()
    return sum(picture.pixel(300, y) == accent for y in range(picture.height()))


def test_a_mark_divides_what_came_from_what_will(qtbot: QtBot, pane: Pane) -> None:
    """A line that stays at its place while rows come, in every feed."""
    assert _accents_in(pane) == 0
    pane.actions["live_mark"].trigger()
    assert _accents_in(pane) > 0
    pane.add(100, 3)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 103)
    assert _accents_in(pane) == 2
    (marked,) = pane.view.table.dividers.marks
    assert marked.number == 100
    pane.scroll_to(0)
    assert _accents_in(pane) == 0
    pane.actions["live_new"].trigger()
    assert pane.view.table.dividers.marks == (marked,)


def test_who_goes_to_the_end_finds_where_they_stopped(qtbot: QtBot, pane: Pane) -> None:
    """The line above what came meanwhile is still there when they scroll back."""
    pane.scroll_to(50)
    pane.add(100, 60)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 160)
    pane.view.table.follow()
    assert [one.number for one in pane.view.table.dividers] == [100]
    assert not pane.view.table.dividers.marks


def test_who_returns_to_the_window_sees_what_is_new(qtbot: QtBot, pane: Pane) -> None:
    """Above what has come since it was left; nothing while nothing has."""
    QCoreApplication.sendEvent(pane.view, QEvent(QEvent.Type.WindowDeactivate))
    assert _accents_in(pane) == 0
    pane.add(100, 3)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 103)
    assert _accents_in(pane) == 2


def test_a_recording_has_what_came_meanwhile_and_the_marks(qtbot: QtBot, pane: Pane, tmp_path: Path) -> None:
    """From the action through the dialog to the end, which is told with the number."""
    recorder = RecordingController(pane.view, pane.actions)
    pane.actions["live_record"].trigger()
    dialog = pane.view.findChild(QFileDialog, "live.record.dialog")
    assert dialog is not None
    file = tmp_path / "feed.jsonl"
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(file.name)
    dialog.accept()
    assert recorder.incoming.recording is not None
    recorder.write([pane.view.model.event_at(3), pane.view.model.event_at(4)])
    pane.actions["live_mark"].trigger()
    recorder.write([pane.view.model.event_at(5)])
    recorder.show_progress()
    assert pane.view.strip.recording.text() == "● recording 3 · feed.jsonl"
    assert pane.actions["live_record"].isChecked()
    pane.actions["live_record"].trigger()
    assert _lines(file) == [3, 4, "mark", 5]
    assert recorder.incoming.notice.title == "Events written: 3"
    recorder.write([pane.view.model.event_at(6)])
    assert len(_lines(file)) == 4


def test_a_dialog_that_is_left_records_nothing(qtbot: QtBot, pane: Pane) -> None:
    """The action is not checked then."""
    recorder = RecordingController(pane.view, pane.actions)
    pane.actions["live_record"].trigger()
    dialog = pane.view.findChild(QFileDialog, "live.record.dialog")
    assert dialog is not None
    dialog.reject()
    assert not pane.actions["live_record"].isChecked()
    assert recorder.incoming.recording is None


def test_a_file_that_cannot_be_written_is_told_and_the_feed_goes_on(pane: Pane, tmp_path: Path) -> None:
    """At the beginning, and in the middle where the disc is full."""
    recorder = RecordingController(pane.view, pane.actions)
    recorder.incoming.begin(tmp_path / "nowhere" / "feed.jsonl")
    assert recorder.incoming.notice.title == "Not recorded"
    recorder.incoming.notice.hide()
    if not Path("/dev/full").exists():
        pytest.skip("there is no full disc here")
    recorder.incoming.begin(Path("/dev/full"))
    recorder.write([pane.view.model.event_at(3)])
    assert recorder.incoming.notice.isVisible()
    assert not pane.actions["live_record"].isChecked()


def test_what_leaves_a_bounded_feed_can_be_kept(qtbot: QtBot, pane: Pane, tmp_path: Path) -> None:
    """With what is in the rows it is everything."""
    recorder = RecordingController(pane.view, pane.actions)
    file = tmp_path / "before.jsonl"
    recorder.removed.begin(file)
    feed = pane.view.model.feed
    feed.capacity, feed._step = 100, 10
    pane.add(100, 25)
    qtbot.waitUntil(lambda: pane.ids[-1] == 124)
    assert [*_lines(file), *pane.ids] == list(range(125))
    recorder.removed.end()


def test_somebody_who_looks_elsewhere_is_told_of_what_the_feed_shows(
    qtbot: QtBot, pane: Pane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off until it is wanted; not of events that the feed does not show, nor to who looks at it."""
    notifier = FeedNotifier(pane.view)
    monkeypatch.setattr(type(pane.view), "isActiveWindow", lambda _self: False)
    pane.view.set_filter(pane.view.model.feed.filter.only("USER_LOGIN"))
    pane.add(100, 7)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 15)
    assert notifier.recent == []
    pane.actions["live_notify"].trigger()
    pane.add(107, 14)
    qtbot.waitUntil(lambda: notifier.recent == ["New events: 2 · USER_LOGIN"])
    monkeypatch.setattr(type(pane.view), "isActiveWindow", lambda _self: True)
    pane.view.current.notifications._quiet_until = 0.0
    pane.add(121, 14)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 19)
    assert len(notifier.recent) == 1
