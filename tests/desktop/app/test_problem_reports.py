"""Tests of the problem report in a real window: what is shown is what is saved, connected or not."""

from __future__ import annotations

import asyncio
import json
import time
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton, QToolButton

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.client import UserError
from cdb_desktop.client.redaction import known_secrets
from cdb_desktop.ui.shell.report.dialog import ReportDialog
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until

PASSWORD = "Planted-Passw0rd"


@pytest.fixture
def folders(tmp_path: Path) -> UserFolders:
    """Folders of its own, with a log."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "cdb-desktop.log.1").write_text("2026-01-31 11:00:00 WARNING cdb_desktop: before\n")
    (logs / "cdb-desktop.log").write_text(
        "2026-01-31 12:00:00 ERROR cdb: https://db.example/api?token=LOGGED-TOKEN failed for root\n"
        f"2026-01-31 12:00:01 WARNING cdb_desktop: {PASSWORD.upper()} was typed\n"
    )
    (logs / "cdb-desktop-crashes.log").write_text("Fatal Python error: Aborted\n")
    return UserFolders(tmp_path / "settings", logs, tmp_path / "no-demo")


@asynccontextmanager
async def reporting(open_app: OpenApp, folders: UserFolders) -> AsyncIterator[AppWindow]:
    """A window whose problems can be reported."""
    async with open_app() as app:
        ProblemReports(app.window, app.session, app.session._tasks, app.context, folders)
        yield app


async def opened(app: AppWindow) -> ReportDialog:
    """The sheet with its files."""
    app.window.actions_by_name["report"].trigger()
    (sheet,) = app.window.findChildren(ReportDialog)
    await until(sheet.list.count)
    return sheet


def save(sheet: ReportDialog, target: Path) -> QFileDialog:
    """Chooses the file; the dialog's proposal is looked at before."""
    sheet.accept_button.click()
    dialog = sheet.findChild(QFileDialog, "report.dialog")
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(target))
    dialog.close()
    return dialog


def files_of(target: Path) -> dict[str, str]:
    """The files of a saved report."""
    with zipfile.ZipFile(target) as found:
        assert found.testzip() is None
        return {name: found.read(name).decode() for name in found.namelist()}


def unfinished(folder: Path) -> list[Path]:
    """What a writing that failed would leave behind."""
    return list(folder.glob("*.new"))


def listed(sheet: ReportDialog) -> list[str]:
    """The names of the files in the list."""
    return [sheet.list.item(row).text().partition(" ")[0] for row in range(sheet.list.count())]


async def test_what_is_shown_is_what_is_saved(
    open_app: OpenApp, folders: UserFolders, reference_server: str, tmp_path: Path
) -> None:
    """Each file, but for those that are not ticked; the notice leads to the archive."""
    async with reporting(open_app, folders) as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        known_secrets.add(PASSWORD)
        token = app.client.session.token if app.client.session else ""
        app.context.settings.setValue("x/planted", f"{token.upper()} {PASSWORD.lower()}")
        await until(lambda: app.opened[0].exchanges.entries(polls=False))
        with pytest.raises(UserError):
            await app.client.event(10**15)
        sheet = await opened(app)
        QTest.keyClicks(sheet.description, f"root saw {PASSWORD}")
        names = ["versions.txt", "settings.json", "requests.txt", "log.txt", "crashes.txt"]
        assert listed(sheet) == ["description.txt", *names]
        shown: dict[str, str] = {}
        for row in range(sheet.list.count()):
            sheet.list.setCurrentRow(row)
            shown[listed(sheet)[row]] = sheet.preview.toPlainText()
        sheet.list.setCurrentRow(listed(sheet).index("crashes.txt"))
        QTest.keyClick(sheet.list, Qt.Key.Key_Space)
        del shown["crashes.txt"]
        target = tmp_path / "report.zip"
        save(sheet, target)
        await until(app.window.notice.isVisible)
        saved = files_of(target)
        assert saved == shown
        assert saved["description.txt"] == "user-1 saw •••\n"
        assert "WARNING cdb_desktop: before" in saved["log.txt"]
        assert "https://server-2/api failed for user-1" in saved["log.txt"]
        assert "GET 400 error.user.event_not_found · " in saved["requests.txt"]
        assert json.loads(saved["settings.json"])["connections"][0]["login"] == "user-1"
        text = "\n".join(saved.values()).casefold()
        for secret in (token, PASSWORD, "LOGGED-TOKEN", "db.example", "root", "admin"):
            assert secret.casefold() not in text
        assert app.window.notice.title == "Report saved"
        assert str(target) in app.window.notice.text
        button = app.window.notice.findChild(QPushButton, "notice.show_file")
        assert isinstance(button, QPushButton)
        assert button.isVisible()
        assert not app.window.findChildren(ReportDialog) or not sheet.isVisible()


async def test_names_are_there_when_they_are_wanted(
    open_app: OpenApp, folders: UserFolders, reference_server: str
) -> None:
    """The checkbox is off at first, and changes the texts that are shown."""
    async with reporting(open_app, folders) as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        sheet = await opened(app)
        assert not sheet.names.isChecked()
        assert "user: user-1" in sheet.preview.toPlainText()
        sheet.names.click()
        assert "user: root" in sheet.preview.toPlainText()
        sheet.list.setCurrentRow(listed(sheet).index("log.txt"))
        assert "https://db.example/api failed for root" in sheet.preview.toPlainText()
        assert "LOGGED-TOKEN" not in sheet.preview.toPlainText()


async def test_a_report_can_be_made_without_a_connection(
    open_app: OpenApp, folders: UserFolders, tmp_path: Path
) -> None:
    """From the start page; nothing has been asked of any service."""
    async with reporting(open_app, folders) as app:
        app.controller.start(Options())
        sheet = await opened(app)
        save(sheet, tmp_path / "report.zip")
        await until(app.window.notice.isVisible)
        saved = files_of(tmp_path / "report.zip")
        assert "connection: none since the start" in saved["versions.txt"]
        assert "No request has been made." in saved["requests.txt"]
        assert "description.txt" not in saved


async def test_the_last_connection_is_reported_after_its_end(
    open_app: OpenApp, folders: UserFolders, reference_server: str
) -> None:
    """Who was thrown out wants to report just that."""
    async with reporting(open_app, folders) as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        await until(lambda: app.opened[0].exchanges.entries(polls=False))
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: app.session.connection is None)
        sheet = await opened(app)
        assert "connection: ended" in sheet.preview.toPlainText()
        assert "server version: 5." in sheet.preview.toPlainText()
        sheet.list.setCurrentRow(listed(sheet).index("requests.txt"))
        assert "/api/v1/event/list" in sheet.preview.toPlainText()


async def test_nothing_can_be_saved_where_nothing_is_ticked(open_app: OpenApp, folders: UserFolders) -> None:
    """An empty archive helps nobody."""
    async with reporting(open_app, folders) as app:
        sheet = await opened(app)
        for row in range(sheet.list.count()):
            sheet.list.item(row).setCheckState(Qt.CheckState.Unchecked)
        assert not sheet.accept_button.isEnabled()
        QTest.keyClicks(sheet.description, "x")
        assert sheet.accept_button.isEnabled()
        assert [file.name for file in sheet.files] == ["description.txt"]
        sheet.description.clear()
        assert "description.txt" not in listed(sheet)
        assert not sheet.accept_button.isEnabled()


async def test_a_file_that_cannot_be_written_is_told_in_the_sheet(
    open_app: OpenApp, folders: UserFolders, tmp_path: Path
) -> None:
    """Which stays, so that another place can be chosen."""
    (tmp_path / "file").touch()
    async with reporting(open_app, folders) as app:
        sheet = await opened(app)
        save(sheet, tmp_path / "file" / "report.zip")
        await until(lambda: sheet.fault)
        assert "report.zip” could not be written" in sheet.fault
        assert sheet.accept_button.isEnabled()
        save(sheet, tmp_path / "report.zip")
        await until(app.window.notice.isVisible)
    assert unfinished(tmp_path) == []


async def test_the_dialog_proposes_a_name_with_the_date(open_app: OpenApp, folders: UserFolders) -> None:
    """In the folder of the last time."""
    async with reporting(open_app, folders) as app:
        app.context.settings.setValue("report/folder", str(folders.logs))
        sheet = await opened(app)
        sheet.accept_button.click()
        dialog = sheet.findChild(QFileDialog, "report.dialog")
        assert isinstance(dialog, QFileDialog)
        (proposed,) = map(Path, dialog.selectedFiles())
        assert proposed.parent == folders.logs
        assert proposed.match("cdb-desktop-report-????????-????.zip")
        dialog.close()


async def test_an_unforeseen_failure_can_be_reported_where_it_is_shown(
    open_app: OpenApp, folders: UserFolders
) -> None:
    """A defect of the program, and no other failure."""
    async with reporting(open_app, folders) as app:
        notice = app.window.notice
        button = notice.findChild(QToolButton, "failure.report")
        assert isinstance(button, QToolButton)
        notice.show_failure(error_message(TimeoutError("too slow")))
        assert button.isVisible()
        assert button.text() == "Report…"
        button.click()
        (sheet,) = app.window.findChildren(ReportDialog)
        await until(sheet.list.count)
        sheet.reject()
        failed = error_message(ConnectionError("x"))
        notice.show_failure(failed)
        assert button.isVisible()
        notice.show_notice("warning", "x", "y")
        assert not button.isVisible()


async def test_a_second_request_finds_the_sheet_that_is_open(open_app: OpenApp, folders: UserFolders) -> None:
    """And a closed one is forgotten, also when it is closed before its files are there."""
    async with reporting(open_app, folders) as app:
        action = app.window.actions_by_name["report"]
        action.trigger()
        action.trigger()
        (sheet,) = app.window.findChildren(ReportDialog)
        sheet.reject()
        second = await opened_anew(app)
        assert second is not sheet


async def opened_anew(app: AppWindow) -> ReportDialog:
    """Another sheet, when the first is gone."""
    await until(lambda: not app.window.findChildren(ReportDialog))
    return await opened(app)


async def test_the_window_goes_on_while_logs_are_read(open_app: OpenApp, folders: UserFolders) -> None:
    """The longest pause of the loop while full logs are collected and shown is a small part of the whole."""
    line = "2026-01-31 12:00:00 ERROR x: GET https://u:p@db.example/api?token=abc&x=1 'login': 'bob'\n"
    for name in ("cdb-desktop.log", "cdb-desktop.log.1", "cdb-desktop-crashes.log"):
        (folders.logs / name).write_text(line * 9000)
    async with reporting(open_app, folders) as app:
        (await opened(app)).reject()
        await until(lambda: not app.window.findChildren(ReportDialog))
        pauses: list[float] = []

        async def watch() -> None:
            last = time.perf_counter()
            while True:
                await asyncio.sleep(0)
                now = time.perf_counter()
                pauses.append(now - last)
                last = now

        watching = asyncio.create_task(watch())
        began = time.perf_counter()
        sheet = await opened(app)
        took = time.perf_counter() - began
        sheet.list.setCurrentRow(listed(sheet).index("log.txt"))
        await asyncio.sleep(0.05)
        watching.cancel()
        assert max(pauses) < took / 2
