"""Tests of the export options dialog, with the reference server."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import pytest
from openpyxl import load_workbook
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export import tables
from cdb_desktop.events.export.receipt import receipt_path
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.options_dialog import ExportOptionsDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def opened(view: EventsView, actions: Actions) -> ExportOptionsDialog:
    """Opens the dialog and waits for its preview."""
    actions["export_options"].trigger()
    sheet = view.findChild(ExportOptionsDialog)
    assert isinstance(sheet, ExportOptionsDialog)
    await until(lambda: "read back" in sheet.fault)
    return sheet


def headers_of(sheet: ExportOptionsDialog) -> list[str]:
    """The column headers of the preview."""
    found = [sheet.table.horizontalHeaderItem(place) for place in range(sheet.table.columnCount())]
    return [item.text() for item in found if item is not None]


def accept(view: EventsView, sheet: ExportOptionsDialog, target: Path) -> None:
    """Chooses the file."""
    sheet.accept_button.click()
    dialog = view.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(target))
    dialog.close()


def files_of(target: Path) -> list[str]:
    """The files beside the target."""
    return sorted(path.name for path in target.parent.glob(f"{target.stem}.*"))


async def test_the_preview_shows_the_first_rows_of_the_file(browse: Browse, actions: Actions) -> None:
    """It follows every option; trimming is off, and enabling it shows a warning."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        assert sheet.fault == "20 rows read back, 6 cells each"
        assert headers_of(sheet) == ["_id", "timestamp", "type", "user", "object", "summary"]
        assert not sheet.explode.isEnabled()
        sheet.columns.setCurrentIndex(1)
        await until(lambda: sheet.fault == "20 rows read back, 16 cells each")
        assert sheet.options.csv.max_length == 0
        sheet.trim.setValue(30)
        await until(lambda: "longer than 30 are trimmed" in sheet.fault)
        sheet.explode.setChecked(True)
        await until(lambda: sheet.table.columnCount() > 16)
        assert any(title.startswith("info.") for title in headers_of(sheet))


async def test_the_visible_columns_are_written(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """In their order, with columns of info keys; the receipt names them."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        view.columns.show(("user", "id", "info.format", "info.search", "object_id"))
        sheet = await opened(view, actions)
        names = ["user", "_id", "info.format", "info.search", "object_id"]
        await until(lambda: headers_of(sheet) == names)
        assert "The columns on screen, in their order" in sheet.text
        sheet.concat.setText("|")
        sheet.trim.setValue(40)
        target = tmp_path / "events.csv"
        accept(view, sheet, target)
        await until(view.notice.isVisible)
        titles, *rows = csv.reader(io.StringIO(target.read_text("utf-8"), newline=""))
        assert titles == names
        shown = [view.model.event_at(row) for row in range(5)]
        assert rows[-5:][::-1] == [
            [one.user_displayname or "", str(one.id), *cells[2:4], ""]
            for one, cells in zip(shown, rows[-5:][::-1], strict=True)
            if one is not None
        ]
        assert len(rows) == view.model.rowCount()
        assert {row[2] for row in rows} - {""}
        assert max(len(row[3]) for row in rows) == 40
        assert msgspec.json.decode(receipt_path(target).read_bytes())["columns"] == names


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("quote", "", "The quote is one character."), ("escape", "ab", "The escape is one character.")],
)
async def test_invalid_options_are_reported_immediately(
    browse: Browse, actions: Actions, field: str, value: str, message: str
) -> None:
    """Before the service refuses them; the button is disabled meanwhile."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        getattr(sheet, field).setText(value)
        assert sheet.fault == message
        assert not sheet.accept_button.isEnabled()
        getattr(sheet, field).setText('"')
        sheet.delimiter.setEditText('"')
        assert sheet.fault.startswith("The delimiter must be one character")
        sheet.delimiter.setEditText("|")
        assert sheet.accept_button.isEnabled()
        await until(lambda: "read back" in sheet.fault)


async def test_json_lines_with_a_receipt(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The complete records; the receipt contains query, number of rows and range of ids."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        sheet = await opened(view, actions)
        sheet.form.setCurrentIndex(1)
        target = tmp_path / "searches.jsonl"
        accept(view, sheet, target)
        await until(view.notice.isVisible)
        records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
        assert len(records) == view.model.rowCount()
        assert {record["event"]["type"] for record in records} == {"SEARCH"}
        receipt = msgspec.json.decode(receipt_path(target).read_bytes())
        ids = [record["event"]["_id"] for record in records]
        assert (receipt["rows"], receipt["first_id"], receipt["last_id"]) == (len(ids), min(ids), max(ids))
        assert receipt["query"] == {"type": ["SEARCH"]}
        assert receipt["frozen"]["newest_id"] == max(ids)


@pytest.mark.parametrize("form", ["jsonl", "csv", "xlsx"])
async def test_only_the_selected_rows(browse: Browse, actions: Actions, tmp_path: Path, form: str) -> None:
    """Their complete records in each format, with the columns of the service; the receipt says so."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.table.selectRow(3)
        for _ in range(2):
            QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        chosen = sorted(event.id for row in (3, 4, 5) if (event := view.model.event_at(row)) is not None)
        sheet = await opened(view, actions)
        await until(lambda: sheet.scope.count() == 2)
        assert sheet.scope.currentText().startswith("All ")
        sheet.scope.setCurrentIndex(1)
        assert sheet.scope.currentText() == "The 3 selected rows"
        sheet.form.setCurrentIndex(sheet.form.findData(form))
        assert "The selected rows (3)" in sheet.text
        if form != "jsonl":
            await until(lambda: sheet.table.rowCount() == 3)
        target = tmp_path / f"events.{form}"
        accept(view, sheet, target)
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported", 30)
        receipt = msgspec.json.decode(receipt_path(target).read_bytes())
        assert (receipt["rows"], receipt["selected_rows"], receipt["first_id"]) == (3, 3, chosen[0])
        if form == "jsonl":
            records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
            assert [record["event"]["_id"] for record in records] == chosen
            assert all("info" in record["event"] for record in records)
        elif form == "csv":
            rows = list(csv.DictReader(io.StringIO(target.read_bytes().decode(), newline="")))
            assert [int(row["_id"]) for row in rows] == chosen


async def test_the_preview_shows_the_first_json_records(browse: Browse, actions: Actions) -> None:
    """One record per line, in ascending order of id."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        assert sheet.lines.isHidden()
        sheet.form.setCurrentIndex(sheet.form.findData("jsonl"))
        await until(sheet.lines.toPlainText)
        lines = sheet.lines.toPlainText().splitlines()
        ids = [msgspec.json.decode(line)["event"]["_id"] for line in lines]
        assert ids == list(range(1, 21))
        assert sheet.lines.isVisible()
        assert not sheet.table.isVisible()


async def test_options_and_folder_are_remembered(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """At the next start; the quick export proposes the same folder."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        sheet.columns.setCurrentIndex(1)
        sheet.delimiter.setCurrentIndex(2)
        sheet.bom.setChecked(True)
        sheet.guard.setChecked(True)
        sheet.explode.setChecked(True)
        sheet.concat.setText("|")
        sheet.trim.setValue(77)
        sheet.receipt.setChecked(False)
        wish = sheet.options
        accept(view, sheet, tmp_path / "events.csv")
        await until(view.notice.isVisible)
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        assert sheet.options == wish
        assert wish.csv.delimiter == "\t"
        sheet.close()
        actions["export"].trigger()
        dialog = view.findChild(QFileDialog)
        assert isinstance(dialog, QFileDialog)
        assert Path(dialog.directory().absolutePath()) == tmp_path
        dialog.close()


async def test_a_table_of_all_fields(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """XLSX with a row for each event and a column for each info key; no other file is left."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH", "OBJECT_UPDATE", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        sheet = await opened(view, actions)
        sheet.form.setCurrentIndex(sheet.form.findData("xlsx"))
        sheet.columns.setCurrentIndex(1)
        sheet.explode.setChecked(True)
        assert not sheet.delimiter.isEnabled()
        target = tmp_path / "events.xlsx"
        accept(view, sheet, target)
        await until(view.notice.isVisible, seconds=60)
        assert view.notice.title == "Exported"
        titles, *rows = load_workbook(target, read_only=True)["events"].values
        assert len(rows) == view.model.rowCount()
        assert [row[0] for row in rows] == sorted({row[0] for row in rows})
        assert any(str(title).startswith("info.") for title in titles)
        assert {row[titles.index("session")] for row in rows} <= {None, MASK}
        assert files_of(target) == ["events.xlsx", "events.xlsx.receipt.json"]
        receipt = msgspec.json.decode(receipt_path(target).read_bytes())
        assert receipt["table"] == {"times": "UTC", "column_for_each_key": True, "longest_value": None}


async def test_formats_without_their_library_are_disabled(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text names the library."""
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        place = sheet.form.findData("parquet")
        assert sheet.form.itemText(place) == "Parquet, for data frames – needs the library pyarrow"
        assert "needs the library XlsxWriter" in sheet.form.itemText(sheet.form.findData("xlsx"))
        assert not sheet.form.model().flags(sheet.form.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled


async def test_too_many_rows_for_a_spreadsheet_are_reported_first(browse: Browse, actions: Actions) -> None:
    """Spreadsheets have a maximum number of rows; CSV has none."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = ExportOptionsDialog(view.appearance, 1_048_576, {}, view)
        sheet.form.setCurrentIndex(sheet.form.findData("xlsx"))
        assert f"there are {QLocale().toString(1_048_576)}" in sheet.fault
        assert not sheet.accept_button.isEnabled()
        sheet.form.setCurrentIndex(0)
        assert sheet.accept_button.isEnabled()
        sheet.close()


async def test_labels_are_disabled_with_their_fields(browse: Browse, actions: Actions) -> None:
    """JSON lines have no delimiter."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        sheet = await opened(view, actions)
        faint = {form: disabled_labels(sheet, form) for form in ("csv", "jsonl")}
        names = {"Columns", "Delimiter", "Quote", "Escape", "Trim values at", "Join arrays by"}
        assert faint == {"csv": {"Join arrays by"}, "jsonl": names}
        sheet.close()


def disabled_labels(sheet: ExportOptionsDialog, form: str) -> set[str]:
    """The labels of the fields that are disabled for a format."""
    sheet.form.setCurrentIndex(sheet.form.findData(form))
    labels = [label for label in sheet.findChildren(QLabel) if label.buddy() is not None]
    return {label.text().replace("&", "") for label in labels if not label.isEnabled()}
