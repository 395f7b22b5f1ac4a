"""Tests of recordings that lose their file, or do not get one, as a user sees them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.live.recording import Recording
from cdb_desktop.live.reports import PollGap
from cdb_desktop.ui.live.recording import RecordingController, RecordingNotice
from cdb_desktop.ui.widgets import notice as notice_module
from tests.desktop.ui.live.conftest import Pane
from tests.desktop.ui.widgets.builders import event


@pytest.fixture
def recorder(pane: Pane) -> RecordingController:
    """It looks for its files twice a second."""
    return RecordingController(pane.view, pane.actions)


def _ids(file: Path) -> list[int]:
    return [json.loads(line)["event"]["_id"] for line in file.read_text().splitlines()]


def _another(notice: RecordingNotice) -> QPushButton:
    button = notice.findChild(QPushButton, f"{notice.objectName()}.another")
    assert button is not None
    return button


def test_a_file_that_is_recorded_to_is_refused_for_what_leaves(
    pane: Pane, recorder: RecordingController, tmp_path: Path
) -> None:
    """The one that has it goes on unharmed."""
    file = tmp_path / "feed.jsonl"
    recorder.incoming.begin(file)
    recorder.write([event(1)])
    recorder.removed.begin(file)
    notice = recorder.removed.notice
    assert notice.title == "Not recorded"
    assert notice.text.startswith(f"{file} is being recorded to already")
    assert _another(notice).isVisible()
    assert not pane.actions["live_keep"].isChecked()
    recorder.write([event(2)])
    pane.actions["live_record"].trigger()
    assert _ids(file) == [1, 2]
    assert recorder.incoming.notice.title == "Events written: 2"


@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_a_lost_file_is_told_at_once_and_another_offered(
    qtbot: QtBot, pane: Pane, recorder: RecordingController, tmp_path: Path, way: str
) -> None:
    """Though nothing comes; it is never said that there were events in a file that is not there."""
    file, notice = tmp_path / "feed.jsonl", recorder.incoming.notice
    recorder.incoming.begin(file)
    recorder.write([event(1), event(2)])
    if way == "deleted":
        file.unlink()
    else:
        (tmp_path / "new").write_text("other")
        (tmp_path / "new").replace(file)
    qtbot.waitUntil(notice.isVisible)
    assert notice.title == "The recording has ended"
    cause = f"{file} is no longer there" if way == "deleted" else f"{file} was replaced by another file"
    assert notice.text.startswith(cause)
    assert "Lines written to it before: 2. Events after id 2 are not recorded." in notice.text
    assert not pane.actions["live_record"].isChecked()
    qtbot.waitUntil(lambda: not pane.view.strip.recording.isVisible())
    _another(notice).click()
    dialog = pane.view.findChild(QFileDialog, "live.record.dialog")
    assert dialog is not None
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("other.jsonl")
    dialog.accept()
    assert not notice.isVisible()
    recorder.write([event(3)])
    assert _ids(tmp_path / "other.jsonl") == [3]


def test_a_file_that_was_deleted_is_noticed_when_it_is_to_end(
    pane: Pane, recorder: RecordingController, tmp_path: Path
) -> None:
    """Before anybody has looked for it."""
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    (tmp_path / "feed.jsonl").unlink()
    pane.actions["live_record"].trigger()
    assert recorder.incoming.notice.title == "The recording has ended"
    assert recorder.incoming.recording is None


@contextmanager
def _room(size: int) -> Iterator[None]:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no bounds of files")
def test_a_full_disc_is_told_with_what_is_whole_and_what_is_missing(
    pane: Pane, recorder: RecordingController, tmp_path: Path
) -> None:
    """No line is torn."""
    file, notice = tmp_path / "feed.jsonl", recorder.incoming.notice
    recorder.incoming.begin(file)
    with _room(1000):
        recorder.write([event(number) for number in range(1, 100)])
    whole = _ids(file)
    assert whole == list(range(1, len(whole) + 1))
    assert 0 < len(whole) < 99
    assert f"Whole lines in the file: {len(whole)}." in notice.text
    assert f"The first event that is missing has the id {len(whole) + 1}." in notice.text
    assert _another(notice).isVisible()


def test_the_strip_tells_the_files(pane: Pane, recorder: RecordingController, tmp_path: Path) -> None:
    """The name shortly, both files wholly in the tip."""
    recorder.removed.begin(tmp_path / "before.jsonl")
    recorder.show_progress()
    shown = pane.view.strip.recording
    assert shown.text() == "● archiving 0 · before.jsonl"
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    recorder.write([event(1)])
    recorder.show_progress()
    assert shown.text() == "● recording 1 · feed.jsonl"
    assert shown.accessibleName() == shown.toolTip()
    assert shown.toolTip().splitlines() == [
        f"All incoming events are recorded to {tmp_path}/feed.jsonl, regardless of filters. Events so far: 1",
        f"Dropped events are archived in {tmp_path}/before.jsonl. Events so far: 0",
    ]


def test_good_news_goes_by_itself_and_with_the_next_recording(
    qtbot: QtBot, pane: Pane, recorder: RecordingController, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad news stays."""
    notice = recorder.incoming.notice
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    recorder.incoming.end()
    assert notice.isVisible()
    assert not _another(notice).isVisible()
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    assert not notice.isVisible()
    monkeypatch.setattr(notice_module, "GOOD_NEWS_MS", 50)
    recorder.incoming.end()
    pane.view.notices.show_gap(PollGap(10, 20, 4))
    recorder.removed.begin(tmp_path / "nowhere" / "feed.jsonl")
    assert notice.isVisible()
    assert pane.view.notices.isVisible()
    qtbot.waitUntil(lambda: not notice.isVisible() and not pane.view.notices.isVisible())
    qtbot.wait(100)
    assert recorder.removed.notice.isVisible()


def test_another_window_keeps_its_file(pane: Pane, recorder: RecordingController, tmp_path: Path) -> None:
    """What is recorded elsewhere is not begun anew."""
    elsewhere = Recording(tmp_path / "feed.jsonl")
    elsewhere.write([event(1)])
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    assert recorder.incoming.notice.title == "Not recorded"
    elsewhere.write([event(2)])
    elsewhere.close()
    assert _ids(tmp_path / "feed.jsonl") == [1, 2]
