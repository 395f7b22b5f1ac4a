"""Tests of reporting damaged or unwritable files of the program."""

import threading
from pathlib import Path

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.files import report_unwritten, set_aside
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import NoticeBar
from tests.desktop.ui.finding import child_of


def test_files_damaged_before_the_window_exists_are_reported(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, tmp_path: Path
) -> None:
    """Once; the notice outlives that of a connection."""
    file = tmp_path / "connections.json"
    file.write_bytes(b"\xff")
    kept = set_aside(file, "no JSON")
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.show()
    notice = child_of(window, NoticeBar, "window.files")
    qtbot.waitUntil(notice.isVisible)
    assert notice.title == "A file of this program is damaged"
    assert str(kept) in notice.text
    window.notice.hide()
    assert notice.isVisible()


def test_a_write_error_is_reported_once(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, tmp_path: Path
) -> None:
    """From any thread, and not again after the notice was closed."""
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.show()
    notice = child_of(window, NoticeBar, "window.files")
    assert notice.isHidden()
    thread = threading.Thread(target=report_unwritten, args=(tmp_path / "x.ini", OSError(28, "No space")))
    thread.start()
    thread.join()
    qtbot.waitUntil(notice.isVisible)
    assert str(tmp_path / "x.ini") in notice.text
    notice.hide()
    report_unwritten(tmp_path / "x.ini", OSError(28, "No space"))
    report_unwritten(tmp_path / "y.ini", OSError(28, "No space"))
    qtbot.waitUntil(notice.isVisible)
    assert str(tmp_path / "x.ini") not in notice.text
