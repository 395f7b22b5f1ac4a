"""Tests of exporting the shown query, with the reference server."""

import asyncio
import csv
import io
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QObject, QPoint, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QPushButton

from cdb_desktop.client import CsvOptions, EventFilter, Sort, UnreachableError
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export.csv_page import CsvPageError
from cdb_desktop.events.export.export import Export, ExportProgress
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.dialogs import failure_message, progress_text
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, bars, export_controller
from tests.desktop.ui.finding import child_of

PLAIN = ExportOptions("csv", CsvOptions(max_length=0))
_FULL = Path("/dev/full")


async def test_the_file_contains_the_matching_events(
    browse: Browse, actions: Actions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once, complete, oldest first, with masked session tokens; the folder can be opened."""
    folders: list[QUrl] = []

    def opened(folder: QUrl) -> bool:
        folders.append(folder)
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", opened)
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "OBJECT_UPDATE", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        file = tmp_path / "events.csv"
        export_controller(view).export(file, PLAIN)
        await until(file.exists)
        await until(view.notice.isVisible)
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert len(rows) == view.model.rowCount()
        assert [int(row["_id"]) for row in rows] == sorted({int(row["_id"]) for row in rows})
        assert {row["session"] for row in rows} <= {"", MASK}
        assert max(len(row["info"]) for row in rows) > 100
        assert view.notice.title == "Exported"
        shown = child_of(view.notice, QPushButton, "notice.show_file")
        shown.click()
        view.notice.show_notice("warning", "Something else", "")
        assert shown.isHidden()
        actions["show_file"].trigger()
        assert folders == [QUrl.fromLocalFile(str(tmp_path))] * 2


async def test_a_file_is_chosen_in_a_dialog(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The dialog does not block; the chosen type of file determines the format, and is remembered."""
    async with browse() as (view, _controller):
        actions["export"].trigger()
        dialog = child_of(view, QFileDialog)
        assert dialog.selectedNameFilter() == "CSV for LibreOffice (*.csv)"
        dialog.selectNameFilter(dialog.nameFilters()[3])
        dialog.fileSelected.emit(str(tmp_path / "events.csv"))
        dialog.close()
        await until((tmp_path / "events.csv").exists)
        start = (tmp_path / "events.csv").read_bytes()[:20]
        assert start.startswith(b"_id\ttimestamp")
        actions["export"].trigger()
        (again,) = (one for one in view.findChildren(QFileDialog) if one.isVisible())
        assert again.selectedNameFilter() == "Separated by tabs (*.tsv *.csv)"
        again.close()


async def test_a_spreadsheet_has_the_order_of_the_table(
    browse: Browse, actions: Actions, tmp_path: Path
) -> None:
    """The columns on screen, with the object in three columns, in the order of the rows."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("OBJECT_UPDATE",), sort=(Sort("object_id"),)))
        await until(lambda: view.model.rowCount() > 0 and " of " in view.count.text)
        actions["export"].trigger()
        dialog = child_of(view, QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / "events.csv"))
        dialog.close()
        await until(view.notice.isVisible)
        assert "in the order of the table" in view.notice.text
        content = (tmp_path / "events.csv").read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(content, newline="")))
        result = view.model.result
        assert result is not None
        shown = [result.event(row) for row in range(result.rows)]
        assert [int(row["_id"]) for row in rows] == [one.id for one in shown if one is not None]
        assert rows[0]["object_id"] == str(shown[0] and shown[0].object_id)


async def test_a_read_only_folder_is_reported(browse: Browse, tmp_path: Path) -> None:
    """The notice says that no file was written."""
    async with browse() as (view, _controller):
        export_controller(view).export(tmp_path / "missing" / "events.csv", PLAIN)
        await until(view.notice.isVisible)
        assert view.notice.title == "Not exported"


@pytest.mark.skipif(not _FULL.exists(), reason="a disk that is always full is a matter of Linux")
async def test_a_full_disk_is_reported(browse: Browse, tmp_path: Path) -> None:
    """With advice; an existing file is unchanged, and no other file is left."""
    async with browse() as (view, _controller):
        file = tmp_path / "events.csv"
        file.write_text("before")
        file.with_name("events.csv.part").symlink_to(_FULL)
        export_controller(view).export(file, PLAIN)
        await until(view.notice.isVisible)
        assert view.notice.title == "The disk is full"
        assert not file.with_name("events.csv.part").is_symlink()
        assert file.read_text() == "before"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes are a matter of Linux")
async def test_a_disk_that_fills_up_keeps_the_partial_file(browse: Browse, tmp_path: Path) -> None:
    """The notice shows its path; when there is space, the export continues to a complete file."""
    import resource

    async with browse() as (view, _controller):
        file = tmp_path / "events.csv"
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
        try:
            export_controller(view).export(file, PLAIN)
            await until(lambda: bars(view))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        (bar,) = bars(view)
        assert bar.title == "The disk is full"
        assert f"are in {file}.part" in bar.text
        assert not file.exists()
        bar.buttons[0].click()
        await until(lambda: not bars(view))
        await until(lambda: view.notice.title == "Exported")
        with file.open(encoding="utf-8", newline="") as lines:
            ids = [int(row["_id"]) for row in csv.DictReader(lines)]
        # Other tests with this server may have deleted events.
        assert ids == sorted(set(ids))
        assert len(ids) == view.model.rowCount()


async def test_notices_do_not_move_rows(browse: Browse) -> None:
    """When a notice appears or disappears."""
    async with browse() as (view, _controller):
        view.window().resize(1100, 760)
        view.table.scrollTo(view.model.index(500, 0))
        await asyncio.sleep(0.2)

        def positions() -> list[object]:
            corner = view.table.viewport().mapToGlobal(QPoint(0, 0)).y()
            return [corner, view.table.verticalScrollBar().value()]

        before = positions()
        view.notice.show_notice("danger", "Not exported", "The file could not be written.")
        await asyncio.sleep(0.2)
        assert view.notice.isVisible()
        assert positions() == before
        view.notice.hide()
        await asyncio.sleep(0.2)
        assert positions() == before


async def test_a_cancelled_export_replaces_the_previous_notice(browse: Browse, tmp_path: Path) -> None:
    """Only the latest outcome of an export is shown."""
    async with browse() as (view, _controller):
        export_controller(view).export(tmp_path / "first.csv", PLAIN)
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported")
        export_controller(view).export(tmp_path / "second.csv", PLAIN)
        await asyncio.sleep(0.01)
        export_controller(view)._tasks.give_up("events.export.2")
        await until(lambda: view.notice.title == "Export cancelled")
        assert "second.csv" in view.notice.text


def test_a_lost_connection_keeps_the_partial_file(qtbot: QObject, tmp_path: Path) -> None:
    """It is beside the target, and the notice shows its path."""

    target = tmp_path / "events.csv"

    async def fetch(_offset: int) -> bytes:
        return b""

    export = Export(fetch, target, export_format(PLAIN, EventFilter(), target), total=20_000)
    export.progress = ExportProgress(12_000, 3_100_000, 4.0, 20_000)
    export.part.write_bytes(b"_id\r\n")
    message = failure_message(export, UnreachableError("refused", "no"))
    assert message.title == "Export incomplete"
    rows, total = (QLocale().toString(number) for number in (12_000, 20_000))
    assert f"{rows} of {total} rows are in" in message.remedy
    assert progress_text(export.progress) == f"Export: {rows} of {total} rows · 3.1 MB · 3 s left"


async def test_a_response_that_is_not_csv_is_an_error_of_the_service(qtbot: QObject, tmp_path: Path) -> None:
    """It is not reported as a defect of the program."""

    target = tmp_path / "events.csv"

    async def fetch(_offset: int) -> bytes:
        return b"name,value\r\na,1\r\n"

    export = Export(fetch, target, export_format(PLAIN, EventFilter(), target), total=20)
    with pytest.raises(CsvPageError) as caught:
        await export.run(lambda _progress: None)
    message = failure_message(export, caught.value)
    assert message.title == "Export incomplete"
    assert "something other than the CSV that was asked for" in message.text
