"""Tests of recordings whose file is lost or cannot be created."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.live.log_follower import PollGap
from cdb_desktop.live.recording import Recording
from cdb_desktop.ui.live.recording import RecordingController, RecordingNotice
from cdb_desktop.ui.widgets import notice as notice_module
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import LiveWindow
from tests.desktop.ui.widgets.builders import event


@pytest.fixture
def recorder(live: LiveWindow) -> RecordingController:
    """It checks its files twice a second."""
    return RecordingController(live.view, live.actions)


def _ids(file: Path) -> list[int]:
    return [json.loads(line)["event"]["_id"] for line in file.read_text().splitlines()]


def _another(notice: RecordingNotice) -> QPushButton:
    button = notice.findChild(QPushButton, f"{notice.objectName()}.another")
    assert button is not None
    return button


def test_one_file_cannot_have_two_recordings(
    live: LiveWindow, recorder: RecordingController, tmp_path: Path
) -> None:
    """The first one continues."""
    file = tmp_path / "feed.jsonl"
    recorder.incoming.begin(file)
    recorder.write([event(1)])
    recorder.removed.begin(file)
    notice = recorder.removed.notice
    assert notice.title == "Not recorded"
    assert notice.text.startswith(f"{file} is being recorded to already")
    assert _another(notice).isVisible()
    assert not live.actions["live_keep"].isChecked()
    recorder.write([event(2)])
    live.actions["live_record"].trigger()
    assert _ids(file) == [1, 2]
    assert recorder.incoming.notice.title == "Events written: 2"


@pytest.mark.parametrize("change", ["deleted", "replaced"])
def test_a_lost_file_has_a_notice_at_once(
    qtbot: QtBot, live: LiveWindow, recorder: RecordingController, tmp_path: Path, change: str
) -> None:
    """Which offers another file."""
    file, notice = tmp_path / "feed.jsonl", recorder.incoming.notice
    recorder.incoming.begin(file)
    recorder.write([event(1), event(2)])
    if change == "deleted":
        file.unlink()
    else:
        (tmp_path / "new").write_text("other")
        (tmp_path / "new").replace(file)
    qtbot.waitUntil(notice.isVisible)
    assert notice.title == "The recording has ended"
    cause = f"{file} is no longer there" if change == "deleted" else f"{file} was replaced by another file"
    assert notice.text.startswith(cause)
    assert "Lines written to it before: 2. Events after id 2 are not recorded." in notice.text
    assert not live.actions["live_record"].isChecked()
    qtbot.waitUntil(lambda: not live.view.strip.recording.isVisible())
    _another(notice).click()
    dialog = child_of(live.view, QFileDialog, "live.record.dialog")
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("other.jsonl")
    dialog.accept()
    assert not notice.isVisible()
    recorder.write([event(3)])
    assert _ids(tmp_path / "other.jsonl") == [3]


def test_a_deleted_file_is_noticed_at_the_end(
    live: LiveWindow, recorder: RecordingController, tmp_path: Path
) -> None:
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    (tmp_path / "feed.jsonl").unlink()
    live.actions["live_record"].trigger()
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
def test_a_full_disk_has_a_notice(live: LiveWindow, recorder: RecordingController, tmp_path: Path) -> None:
    """With the complete lines and the first missing event."""
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


def test_the_strip_shows_the_files(live: LiveWindow, recorder: RecordingController, tmp_path: Path) -> None:
    """With their paths in the tooltip."""
    recorder.removed.begin(tmp_path / "before.jsonl")
    recorder.show_progress()
    shown = live.view.strip.recording
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


def test_good_news_disappears(
    qtbot: QtBot,
    live: LiveWindow,
    recorder: RecordingController,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By itself or with the next recording; bad news stays."""
    notice = recorder.incoming.notice
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    recorder.incoming.end()
    assert notice.isVisible()
    assert not _another(notice).isVisible()
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    assert not notice.isVisible()
    monkeypatch.setattr(notice_module, "GOOD_NEWS_MS", 50)
    recorder.incoming.end()
    live.view.notices.show_gap(PollGap(10, 20, 4))
    recorder.removed.begin(tmp_path / "nowhere" / "feed.jsonl")
    assert notice.isVisible()
    assert live.view.notices.isVisible()
    qtbot.waitUntil(lambda: not notice.isVisible() and not live.view.notices.isVisible())
    qtbot.wait(100)
    assert recorder.removed.notice.isVisible()


def test_another_window_keeps_its_file(
    live: LiveWindow, recorder: RecordingController, tmp_path: Path
) -> None:
    """A file that is recorded elsewhere is not replaced."""
    elsewhere = Recording(tmp_path / "feed.jsonl")
    elsewhere.write([event(1)])
    recorder.incoming.begin(tmp_path / "feed.jsonl")
    assert recorder.incoming.notice.title == "Not recorded"
    elsewhere.write([event(2)])
    elsewhere.close()
    assert _ids(tmp_path / "feed.jsonl") == [1, 2]
