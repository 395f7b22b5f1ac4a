"""Tests of the problem report in a real window: the saved files are the ones shown, connected or not."""

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
from cdb_desktop.ui.shell.report.controller import ReportDialog
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of

PASSWORD = "Planted-Passw0rd"


@pytest.fixture
def folders(tmp_path: Path) -> UserFolders:
    """Separate folders with a log."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "cdb-desktop.log.1").write_text("2026-01-31 11:00:00 WARNING cdb_desktop: before\n")
    (logs / "cdb-desktop.log").write_text(
        "2026-01-31 12:00:00 ERROR cdb: https://db.example/api?token=LOGGED-TOKEN failed for root\n"
        f"2026-01-31 12:00:01 WARNING cdb_desktop: {PASSWORD.upper()} was typed\n"
    )
    (logs / "cdb-desktop-crashes.log").write_text("Fatal Python error: Aborted\n")
    return UserFolders(tmp_path / "settings", logs, tmp_path / "no-demo", tmp_path / "opened")


@asynccontextmanager
async def reporting(open_app: OpenApp, folders: UserFolders) -> AsyncIterator[AppWindow]:
    """A window that can report problems."""
    async with open_app() as app:
        ProblemReports(app.window, app.session, app.session._tasks, app.context, folders)
        yield app


async def opened(app: AppWindow) -> ReportDialog:
    """The dialog with its files."""
    app.window.actions_by_name["report"].trigger()
    (report,) = app.window.findChildren(ReportDialog)
    await until(report.list.count)
    return report


def save(report: ReportDialog, target: Path) -> QFileDialog:
    """Chooses the file, after checking the name that the file dialog proposes."""
    report.accept_button.click()
    dialog = child_of(report, QFileDialog, "report.dialog")
    dialog.fileSelected.emit(str(target))
    dialog.close()
    return dialog


def files_of(target: Path) -> dict[str, str]:
    """The files of a saved report."""
    with zipfile.ZipFile(target) as found:
        assert found.testzip() is None
        return {name: found.read(name).decode() for name in found.namelist()}


def unfinished(folder: Path) -> list[Path]:
    """Temporary files that a failed save has left."""
    return list(folder.glob("*.new"))


def listed(report: ReportDialog) -> list[str]:
    """The names of the files in the list."""
    return [report.list.item(row).text().partition(" ")[0] for row in range(report.list.count())]


async def test_the_saved_files_are_those_shown(
    open_app: OpenApp, folders: UserFolders, reference_server: str, tmp_path: Path
) -> None:
    """Unchecked files are left out; the notice opens the folder of the archive."""
    async with reporting(open_app, folders) as app:
        await app.connect(reference_server)
        known_secrets.add(PASSWORD)
        token = app.client.session.token if app.client.session else ""
        app.context.settings.setValue("x/planted", f"{token.upper()} {PASSWORD.lower()}")
        await until(lambda: app.opened[0].exchanges.entries(polls=False))
        with pytest.raises(UserError):
            await app.client.event(10**15)
        report = await opened(app)
        QTest.keyClicks(report.description, f"root saw {PASSWORD}")
        names = ["versions.txt", "settings.json", "requests.txt", "log.txt", "crashes.txt"]
        assert listed(report) == ["description.txt", *names]
        shown: dict[str, str] = {}
        for row in range(report.list.count()):
            report.list.setCurrentRow(row)
            shown[listed(report)[row]] = report.preview.toPlainText()
        report.list.setCurrentRow(listed(report).index("crashes.txt"))
        QTest.keyClick(report.list, Qt.Key.Key_Space)
        del shown["crashes.txt"]
        target = tmp_path / "report.zip"
        save(report, target)
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
        assert child_of(app.window.notice, QPushButton, "notice.show_file").isVisible()
        assert not app.window.findChildren(ReportDialog) or not report.isVisible()


async def test_names_are_included_on_request(
    open_app: OpenApp, folders: UserFolders, reference_server: str
) -> None:
    """The check box is off by default, and changes the texts that are shown.

    A user whose connection was closed can report that, too.
    """
    async with reporting(open_app, folders) as app:
        await app.connect(reference_server)
        report = await opened(app)
        assert not report.names.isChecked()
        assert "user: user-1" in report.preview.toPlainText()
        report.names.click()
        assert "user: root" in report.preview.toPlainText()
        report.list.setCurrentRow(listed(report).index("log.txt"))
        assert "https://db.example/api failed for root" in report.preview.toPlainText()
        assert "LOGGED-TOKEN" not in report.preview.toPlainText()
        report.reject()
        await until(lambda: app.opened[0].exchanges.entries(polls=False))
        app.window.actions_by_name["disconnect"].trigger()
        await until(lambda: app.session.connection is None)
        report = await opened_anew(app)
        assert "connection: ended" in report.preview.toPlainText()
        assert "server version: 5." in report.preview.toPlainText()
        report.list.setCurrentRow(listed(report).index("requests.txt"))
        assert "/api/v1/event/list" in report.preview.toPlainText()


async def test_a_report_can_be_created_without_a_connection(
    open_app: OpenApp, folders: UserFolders, tmp_path: Path
) -> None:
    """It is opened from the start page, and no request is sent."""
    async with reporting(open_app, folders) as app:
        app.controller.start(Options())
        report = await opened(app)
        save(report, tmp_path / "report.zip")
        await until(app.window.notice.isVisible)
        saved = files_of(tmp_path / "report.zip")
        assert "connection: none since the start" in saved["versions.txt"]
        assert "No request has been made." in saved["requests.txt"]
        assert "description.txt" not in saved


async def test_nothing_can_be_saved_if_no_file_is_checked(open_app: OpenApp, folders: UserFolders) -> None:
    """The save button is disabled."""
    async with reporting(open_app, folders) as app:
        report = await opened(app)
        for row in range(report.list.count()):
            report.list.item(row).setCheckState(Qt.CheckState.Unchecked)
        assert not report.accept_button.isEnabled()
        QTest.keyClicks(report.description, "x")
        assert report.accept_button.isEnabled()
        assert [file.name for file in report.files] == ["description.txt"]
        report.description.clear()
        assert "description.txt" not in listed(report)
        assert not report.accept_button.isEnabled()


async def test_a_file_that_cannot_be_written_is_reported_in_the_dialog(
    open_app: OpenApp, folders: UserFolders, tmp_path: Path
) -> None:
    """The dialog stays open, so that another one can be chosen; it proposes the last folder and the date."""
    (tmp_path / "file").touch()
    async with reporting(open_app, folders) as app:
        app.context.settings.setValue("report/folder", str(folders.logs))
        report = await opened(app)
        (proposed,) = map(Path, save(report, tmp_path / "file" / "report.zip").selectedFiles())
        assert proposed.parent == folders.logs
        assert proposed.match("cdb-desktop-report-????????-????.zip")
        await until(lambda: report.fault)
        assert "report.zip” could not be written" in report.fault
        assert report.accept_button.isEnabled()
        save(report, tmp_path / "report.zip")
        await until(app.window.notice.isVisible)
    assert unfinished(tmp_path) == []


async def test_an_unexpected_failure_can_be_reported_where_it_is_shown(
    open_app: OpenApp, folders: UserFolders
) -> None:
    """Only defects of the program offer this, no other failures."""
    async with reporting(open_app, folders) as app:
        notice = app.window.notice
        button = child_of(notice, QToolButton, "failure.report")
        notice.show_failure(error_message(TimeoutError("too slow")))
        assert button.isVisible()
        assert button.text() == "Report…"
        button.click()
        (report,) = app.window.findChildren(ReportDialog)
        await until(report.list.count)
        report.reject()
        failed = error_message(ConnectionError("x"))
        notice.show_failure(failed)
        assert button.isVisible()
        notice.show_notice("warning", "x", "y")
        assert not button.isVisible()


async def test_a_second_request_activates_the_open_dialog(open_app: OpenApp, folders: UserFolders) -> None:
    """A closed dialog is deleted, even if it is closed before its files are collected."""
    async with reporting(open_app, folders) as app:
        action = app.window.actions_by_name["report"]
        action.trigger()
        action.trigger()
        (report,) = app.window.findChildren(ReportDialog)
        report.reject()
        second = await opened_anew(app)
        assert second is not report


async def opened_anew(app: AppWindow) -> ReportDialog:
    """Another dialog, once the first is deleted."""
    await until(lambda: not app.window.findChildren(ReportDialog))
    return await opened(app)


async def test_the_window_stays_responsive_while_logs_are_read(
    open_app: OpenApp, folders: UserFolders
) -> None:
    """The longest pause of the event loop is a small part of the time for collecting full logs."""
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
        report = await opened(app)
        took = time.perf_counter() - began
        report.list.setCurrentRow(listed(report).index("log.txt"))
        await asyncio.sleep(0.05)
        watching.cancel()
        assert max(pauses) < took / 2
