"""Tests of the problem report with a real pointer and keyboard, from the Help menu to the archive."""

import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.report.controller import ReportDialog
from tests.desktop.app.conftest import OpenApp
from tests.desktop.patience import until
from tests.pointer.events.conftest import AsyncPointer


@asynccontextmanager
async def shown(open_app: OpenApp, folder: Path) -> AsyncIterator[MainWindow]:
    """The start page of a window with problem reports."""
    async with open_app() as app:
        app.context.settings.setValue("report/folder", str(folder))
        folders = UserFolders(folder, folder, folder, folder / "opened")
        ProblemReports(app.window, app.session, app.session._tasks, app.context, folders)
        app.window.start.show_choices()
        app.window.activateWindow()
        await until(app.window.isActiveWindow)
        yield app.window


async def test_a_report_is_written_with_the_keyboard(
    open_app: OpenApp, async_pointer: AsyncPointer, tmp_path: Path
) -> None:
    """Menu, description, an excluded file, names, and Return for the default button."""
    async with shown(open_app, tmp_path) as window:
        await async_pointer.press("alt+h", "r")
        await until(lambda: window.findChildren(ReportDialog))
        (dialog,) = window.findChildren(ReportDialog)
        await until(dialog.list.count)
        await until(dialog.description.hasFocus)
        await async_pointer.type("It hangs")
        await async_pointer.press("Tab", "Down")
        await until(lambda: dialog.preview.accessibleName() == "settings.json")
        await async_pointer.press("space", "Tab", "Tab", "space")
        await until(dialog.names.isChecked)
        await async_pointer.press("Return")
        await until(lambda: dialog.findChild(QFileDialog, "report.dialog"))
        await async_pointer.press("Return")
        await until(window.notice.isVisible)
        (target,) = _archives(tmp_path)
        with zipfile.ZipFile(target) as saved:
            assert saved.namelist() == ["description.txt", "versions.txt", "requests.txt", "log.txt"]
            assert saved.read("description.txt") == b"It hangs\n"


async def test_a_check_box_is_changed_with_the_pointer(
    open_app: OpenApp, async_pointer: AsyncPointer, tmp_path: Path
) -> None:
    """A click on the box toggles it, a click beside it shows the file; Escape closes the dialog."""
    async with shown(open_app, tmp_path) as window:
        window.actions_by_name["report"].trigger()
        (dialog,) = window.findChildren(ReportDialog)
        await until(dialog.list.count)
        place = dialog.list.visualItemRect(dialog.list.item(1))
        await async_pointer.click(dialog.list.viewport(), place.center())
        await until(lambda: dialog.list.currentRow() == 1)
        assert len(dialog.files) == dialog.list.count()
        await async_pointer.click(dialog.list.viewport(), QPoint(place.left() + 10, place.center().y()))
        await until(lambda: len(dialog.files) == dialog.list.count() - 1)
        await async_pointer.press("Escape")
        await until(lambda: not window.findChildren(ReportDialog))


def _archives(folder: Path) -> list[Path]:
    return list(folder.glob("cdb-desktop-report-*.zip"))
