"""The problem report under a real pointer and keyboard, from the Help menu to the archive."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.places import Places
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.ui.report.sheet import ReportSheet
from cdb_desktop.ui.window.main_window import MainWindow
from tests.desktop.app.conftest import Take
from tests.desktop.patience import until
from tests.pointer.events.conftest import Hand


@asynccontextmanager
async def shown(take_seat: Take, folder: Path) -> AsyncIterator[MainWindow]:
    """The start page of a window whose problems can be reported."""
    async with take_seat() as seat:
        seat.setting.settings.setValue("report/folder", str(folder))
        places = Places(folder, folder, folder)
        ProblemReports(seat.window, seat.desk, seat.desk._tasks, seat.setting, places)
        seat.window.start.show_choices()
        seat.window.activateWindow()
        await until(seat.window.isActiveWindow)
        yield seat.window


async def test_a_report_is_written_by_keys_alone(take_seat: Take, hand: Hand, tmp_path: Path) -> None:
    """Menu, description, a file that is left out, the names, and Return for the default button."""
    async with shown(take_seat, tmp_path) as window:
        await hand.press("alt+h", "r")
        await until(lambda: window.findChildren(ReportSheet))
        (sheet,) = window.findChildren(ReportSheet)
        await until(sheet.list.count)
        await until(sheet.description.hasFocus)
        await hand.type("It hangs")
        await hand.press("Tab", "Down")
        await until(lambda: sheet.preview.accessibleName() == "settings.json")
        await hand.press("space", "Tab", "Tab", "space")
        await until(sheet.names.isChecked)
        await hand.press("Return")
        await until(lambda: sheet.findChild(QFileDialog, "report.dialog"))
        await hand.press("Return")
        await until(window.notice.isVisible)
        (target,) = _archives(tmp_path)
        with zipfile.ZipFile(target) as saved:
            assert saved.namelist() == ["description.txt", "versions.txt", "requests.txt", "log.txt"]
            assert saved.read("description.txt") == b"It hangs\n"


async def test_a_tick_is_changed_with_the_pointer(take_seat: Take, hand: Hand, tmp_path: Path) -> None:
    """A click on the box changes it, one beside it shows the file; Escape closes the sheet."""
    async with shown(take_seat, tmp_path) as window:
        window.actions_by_name["report"].trigger()
        (sheet,) = window.findChildren(ReportSheet)
        await until(sheet.list.count)
        place = sheet.list.visualItemRect(sheet.list.item(1))
        await hand.click(sheet.list.viewport(), place.center())
        await until(lambda: sheet.list.currentRow() == 1)
        assert len(sheet.files) == sheet.list.count()
        await hand.click(sheet.list.viewport(), QPoint(place.left() + 10, place.center().y()))
        await until(lambda: len(sheet.files) == sheet.list.count() - 1)
        await hand.press("Escape")
        await until(lambda: not window.findChildren(ReportSheet))


def _archives(folder: Path) -> list[Path]:
    return list(folder.glob("cdb-desktop-report-*.zip"))
