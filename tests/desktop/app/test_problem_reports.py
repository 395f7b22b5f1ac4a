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

from cdb_desktop.app.options import Options
from cdb_desktop.app.places import Places
from cdb_desktop.app.problem_reports import ProblemReports
from cdb_desktop.client import UserError
from cdb_desktop.client.redaction import known_secrets
from cdb_desktop.ui.report.sheet import ReportSheet
from cdb_desktop.vocabulary.sentences import sentence
from tests.desktop.app.conftest import Seat, Take
from tests.desktop.patience import until

PASSWORD = "Planted-Passw0rd"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """Folders of its own, with a log."""
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "cdb-desktop.log.1").write_text("2026-01-31 11:00:00 WARNING cdb_desktop: before\n")
    (logs / "cdb-desktop.log").write_text(
        "2026-01-31 12:00:00 ERROR cdb: https://db.example/api?token=LOGGED-TOKEN failed for root\n"
        f"2026-01-31 12:00:01 WARNING cdb_desktop: {PASSWORD.upper()} was typed\n"
    )
    (logs / "cdb-desktop-crashes.log").write_text("Fatal Python error: Aborted\n")
    return Places(tmp_path / "settings", logs, tmp_path / "no-demo")


@asynccontextmanager
async def reporting(take_seat: Take, places: Places) -> AsyncIterator[Seat]:
    """A window whose problems can be reported."""
    async with take_seat() as seat:
        ProblemReports(seat.window, seat.desk, seat.desk._tasks, seat.setting, places)
        yield seat


async def opened(seat: Seat) -> ReportSheet:
    """The sheet with its files."""
    seat.window.actions_by_name["report"].trigger()
    (sheet,) = seat.window.findChildren(ReportSheet)
    await until(sheet.list.count)
    return sheet


def save(sheet: ReportSheet, target: Path) -> QFileDialog:
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


def listed(sheet: ReportSheet) -> list[str]:
    """The names of the files in the list."""
    return [sheet.list.item(row).text().partition(" ")[0] for row in range(sheet.list.count())]


async def test_what_is_shown_is_what_is_saved(
    take_seat: Take, places: Places, reference_server: str, tmp_path: Path
) -> None:
    """Each file, but for those that are not ticked; the notice leads to the archive."""
    async with reporting(take_seat, places) as seat:
        seat.door.begin(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: seat.opened)
        known_secrets.add(PASSWORD)
        token = seat.client.session.token if seat.client.session else ""
        seat.setting.settings.setValue("x/planted", f"{token.upper()} {PASSWORD.lower()}")
        await until(lambda: seat.opened[0].exchanges.listed(polls=False))
        with pytest.raises(UserError):
            await seat.client.event(10**15)
        sheet = await opened(seat)
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
        await until(seat.window.notice.isVisible)
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
        assert seat.window.notice.title == "Report saved"
        assert str(target) in seat.window.notice.text
        button = seat.window.notice.findChild(QPushButton, "notice.show_file")
        assert isinstance(button, QPushButton)
        assert button.isVisible()
        assert not seat.window.findChildren(ReportSheet) or not sheet.isVisible()


async def test_names_are_there_when_they_are_wanted(
    take_seat: Take, places: Places, reference_server: str
) -> None:
    """The checkbox is off at first, and changes the texts that are shown."""
    async with reporting(take_seat, places) as seat:
        seat.door.begin(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: seat.opened)
        sheet = await opened(seat)
        assert not sheet.names.isChecked()
        assert "user: user-1" in sheet.preview.toPlainText()
        sheet.names.click()
        assert "user: root" in sheet.preview.toPlainText()
        sheet.list.setCurrentRow(listed(sheet).index("log.txt"))
        assert "https://db.example/api failed for root" in sheet.preview.toPlainText()
        assert "LOGGED-TOKEN" not in sheet.preview.toPlainText()


async def test_a_report_can_be_made_without_a_connection(
    take_seat: Take, places: Places, tmp_path: Path
) -> None:
    """From the start page; nothing has been asked of any service."""
    async with reporting(take_seat, places) as seat:
        seat.door.begin(Options())
        sheet = await opened(seat)
        save(sheet, tmp_path / "report.zip")
        await until(seat.window.notice.isVisible)
        saved = files_of(tmp_path / "report.zip")
        assert "connection: none since the start" in saved["versions.txt"]
        assert "No request has been made." in saved["requests.txt"]
        assert "description.txt" not in saved


async def test_the_last_connection_is_reported_after_its_end(
    take_seat: Take, places: Places, reference_server: str
) -> None:
    """Who was thrown out wants to report just that."""
    async with reporting(take_seat, places) as seat:
        seat.door.begin(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: seat.opened)
        await until(lambda: seat.opened[0].exchanges.listed(polls=False))
        seat.window.actions_by_name["disconnect"].trigger()
        await until(lambda: seat.desk.connection is None)
        sheet = await opened(seat)
        assert "connection: ended" in sheet.preview.toPlainText()
        assert "server version: 5." in sheet.preview.toPlainText()
        sheet.list.setCurrentRow(listed(sheet).index("requests.txt"))
        assert "/api/v1/event/list" in sheet.preview.toPlainText()


async def test_nothing_can_be_saved_where_nothing_is_ticked(take_seat: Take, places: Places) -> None:
    """An empty archive helps nobody."""
    async with reporting(take_seat, places) as seat:
        sheet = await opened(seat)
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
    take_seat: Take, places: Places, tmp_path: Path
) -> None:
    """Which stays, so that another place can be chosen."""
    (tmp_path / "file").touch()
    async with reporting(take_seat, places) as seat:
        sheet = await opened(seat)
        save(sheet, tmp_path / "file" / "report.zip")
        await until(lambda: sheet.fault)
        assert "report.zip” could not be written" in sheet.fault
        assert sheet.accept_button.isEnabled()
        save(sheet, tmp_path / "report.zip")
        await until(seat.window.notice.isVisible)
    assert unfinished(tmp_path) == []


async def test_the_dialog_proposes_a_name_with_the_date(take_seat: Take, places: Places) -> None:
    """In the folder of the last time."""
    async with reporting(take_seat, places) as seat:
        seat.setting.settings.setValue("report/folder", str(places.logs))
        sheet = await opened(seat)
        sheet.accept_button.click()
        dialog = sheet.findChild(QFileDialog, "report.dialog")
        assert isinstance(dialog, QFileDialog)
        (proposed,) = map(Path, dialog.selectedFiles())
        assert proposed.parent == places.logs
        assert proposed.match("cdb-desktop-report-????????-????.zip")
        dialog.close()


async def test_an_unforeseen_failure_can_be_reported_where_it_is_shown(
    take_seat: Take, places: Places
) -> None:
    """A defect of the program, and no other failure."""
    async with reporting(take_seat, places) as seat:
        notice = seat.window.notice
        button = notice.findChild(QToolButton, "failure.report")
        assert isinstance(button, QToolButton)
        notice.show_failure(sentence(TimeoutError("too slow")))
        assert button.isVisible()
        assert button.text() == "Report…"
        button.click()
        (sheet,) = seat.window.findChildren(ReportSheet)
        await until(sheet.list.count)
        sheet.reject()
        failed = seat.setting.words(ConnectionError("x"))
        notice.show_failure(failed)
        assert button.isVisible()
        notice.show_notice("warning", "x", "y")
        assert not button.isVisible()


async def test_a_second_request_finds_the_sheet_that_is_open(take_seat: Take, places: Places) -> None:
    """And a closed one is forgotten, also when it is closed before its files are there."""
    async with reporting(take_seat, places) as seat:
        action = seat.window.actions_by_name["report"]
        action.trigger()
        action.trigger()
        (sheet,) = seat.window.findChildren(ReportSheet)
        sheet.reject()
        second = await opened_anew(seat)
        assert second is not sheet


async def opened_anew(seat: Seat) -> ReportSheet:
    """Another sheet, when the first is gone."""
    await until(lambda: not seat.window.findChildren(ReportSheet))
    return await opened(seat)


async def test_the_window_goes_on_while_logs_are_read(take_seat: Take, places: Places) -> None:
    """The longest pause of the loop while full logs are collected and shown is a small part of the whole."""
    line = "2026-01-31 12:00:00 ERROR x: GET https://u:p@db.example/api?token=abc&x=1 'login': 'bob'\n"
    for name in ("cdb-desktop.log", "cdb-desktop.log.1", "cdb-desktop-crashes.log"):
        (places.logs / name).write_text(line * 9000)
    async with reporting(take_seat, places) as seat:
        (await opened(seat)).reject()
        await until(lambda: not seat.window.findChildren(ReportSheet))
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
        sheet = await opened(seat)
        took = time.perf_counter() - began
        sheet.list.setCurrentRow(listed(sheet).index("log.txt"))
        await asyncio.sleep(0.05)
        watching.cancel()
        assert max(pauses) < took / 2
