"""Tests of the sheet of an export's options, against the reference server."""

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
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.options_dialog import ExportOptionsDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def opened(view: EventsView, actions: Actions) -> ExportOptionsDialog:
    """The sheet, with its preview."""
    actions["export_options"].trigger()
    sheet = view.findChild(ExportOptionsDialog)
    assert isinstance(sheet, ExportOptionsDialog)
    await until(lambda: "read back" in sheet.fault)
    return sheet


def titles_of(sheet: ExportOptionsDialog) -> list[str]:
    """The titles of the preview."""
    found = [sheet.table.horizontalHeaderItem(place) for place in range(sheet.table.columnCount())]
    return [item.text() for item in found if item is not None]


def agree(view: EventsView, sheet: ExportOptionsDialog, target: Path) -> None:
    """Chooses the file."""
    sheet.accept_button.click()
    dialog = view.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(target))
    dialog.close()


def files_of(target: Path) -> list[str]:
    """What an export has left beside its target."""
    return sorted(path.name for path in target.parent.glob(f"{target.stem}.*"))


async def test_the_first_rows_are_read_back_as_they_will_be(browse: Browse, actions: Actions) -> None:
    """Every change is seen; trimming is off, and told when it is on."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        assert sheet.fault == "20 rows read back, 5 cells each"
        assert titles_of(sheet) == ["_id", "timestamp", "type", "user", "object"]
        assert not sheet.explode.isEnabled()
        sheet.columns.setCurrentIndex(1)
        await until(lambda: sheet.fault == "20 rows read back, 16 cells each")
        assert sheet.options.csv.max_length == 0
        sheet.trim.setValue(30)
        await until(lambda: "longer than 30 are trimmed" in sheet.fault)
        sheet.explode.setChecked(True)
        await until(lambda: sheet.table.columnCount() > 16)
        assert any(title.startswith("info.") for title in titles_of(sheet))


async def test_the_columns_on_screen_are_written(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """Those that are shown, in their order, keys of info too; the receipt names them."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        view.columns.show(("user", "id", "info.format", "info.search", "object_id"))
        sheet = await opened(view, actions)
        names = ["user", "_id", "info.format", "info.search", "object_id"]
        await until(lambda: titles_of(sheet) == names)
        assert "The columns on screen, in their order" in sheet.text
        sheet.concat.setText("|")
        sheet.trim.setValue(40)
        target = tmp_path / "events.csv"
        agree(view, sheet, target)
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
    ("field", "value", "told"),
    [("quote", "", "The quote is one character."), ("escape", "ab", "The escape is one character.")],
)
async def test_options_that_cannot_be_are_told_at_once(
    browse: Browse, actions: Actions, field: str, value: str, told: str
) -> None:
    """Before the service would refuse them; nothing can be agreed to meanwhile."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        getattr(sheet, field).setText(value)
        assert sheet.fault == told
        assert not sheet.accept_button.isEnabled()
        getattr(sheet, field).setText('"')
        sheet.delimiter.setEditText('"')
        assert sheet.fault.startswith("The delimiter must be one character")
        sheet.delimiter.setEditText("|")
        assert sheet.accept_button.isEnabled()
        await until(lambda: "read back" in sheet.fault)


async def test_lines_of_json_with_a_receipt(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The whole records of what is shown; the receipt tells query, rows and ids."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        sheet = await opened(view, actions)
        sheet.form.setCurrentIndex(1)
        target = tmp_path / "searches.jsonl"
        agree(view, sheet, target)
        await until(view.notice.isVisible)
        records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
        assert len(records) == view.model.rowCount()
        assert {record["event"]["type"] for record in records} == {"SEARCH"}
        told = msgspec.json.decode(receipt_path(target).read_bytes())
        ids = [record["event"]["_id"] for record in records]
        assert (told["rows"], told["first_id"], told["last_id"]) == (len(ids), min(ids), max(ids))
        assert told["query"] == {"type": ["SEARCH"]}
        assert told["frozen"]["newest_id"] == max(ids)


@pytest.mark.parametrize("form", ["jsonl", "csv", "xlsx"])
async def test_only_the_selected_rows(browse: Browse, actions: Actions, tmp_path: Path, form: str) -> None:
    """Their whole records in every form, in the service's columns; the sheet and the receipt say so."""
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
        agree(view, sheet, target)
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported", 30)
        told = msgspec.json.decode(receipt_path(target).read_bytes())
        assert (told["rows"], told["selected_rows"], told["first_id"]) == (3, 3, chosen[0])
        if form == "jsonl":
            records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
            assert [record["event"]["_id"] for record in records] == chosen
            assert all("info" in record["event"] for record in records)
        elif form == "csv":
            rows = list(csv.DictReader(io.StringIO(target.read_bytes().decode(), newline="")))
            assert [int(row["_id"]) for row in rows] == chosen


async def test_the_first_records_of_json_are_shown(browse: Browse, actions: Actions) -> None:
    """As they will stand in the file: a record a line, from the lowest id."""
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


async def test_options_and_folder_are_those_of_the_last_time(
    browse: Browse, actions: Actions, tmp_path: Path
) -> None:
    """From one start to the next; the quick export begins in the same folder."""
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
        agree(view, sheet, tmp_path / "events.csv")
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


async def test_a_table_of_everything(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """XLSX with a row for each event and a column for each key of info; nothing is left beside it."""
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
        agree(view, sheet, target)
        await until(view.notice.isVisible, seconds=60)
        assert view.notice.title == "Exported"
        titles, *rows = load_workbook(target, read_only=True)["events"].values
        assert len(rows) == view.model.rowCount()
        assert [row[0] for row in rows] == sorted({row[0] for row in rows})
        assert any(str(title).startswith("info.") for title in titles)
        assert {row[titles.index("session")] for row in rows} <= {None, MASK}
        assert files_of(target) == ["events.xlsx", "events.xlsx.receipt.json"]
        told = msgspec.json.decode(receipt_path(target).read_bytes())
        assert told["table"] == {"times": "UTC", "column_for_each_key": True, "longest_value": None}


async def test_what_is_not_installed_stands_there_disabled(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And names the library."""
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = await opened(view, actions)
        place = sheet.form.findData("parquet")
        assert sheet.form.itemText(place) == "Parquet, for data frames – needs the library pyarrow"
        assert "needs the library XlsxWriter" in sheet.form.itemText(sheet.form.findData("xlsx"))
        assert not sheet.form.model().flags(sheet.form.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled


async def test_a_sheet_that_overflows_is_told_before(browse: Browse, actions: Actions) -> None:
    """A spreadsheet has a last row; CSV goes on."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        sheet = ExportOptionsDialog(view.appearance, 1_048_576, {}, view)
        sheet.form.setCurrentIndex(sheet.form.findData("xlsx"))
        assert f"there are {QLocale().toString(1_048_576)}" in sheet.fault
        assert not sheet.accept_button.isEnabled()
        sheet.form.setCurrentIndex(0)
        assert sheet.accept_button.isEnabled()
        sheet.close()


async def test_names_are_as_faint_as_what_they_name(browse: Browse, actions: Actions) -> None:
    """Lines of JSON know no delimiter, and what they know can be seen at a glance."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        sheet = await opened(view, actions)
        faint = {form: faint_names(sheet, form) for form in ("csv", "jsonl")}
        names = {"Columns", "Delimiter", "Quote", "Escape", "Trim values at", "Join arrays by"}
        assert faint == {"csv": {"Join arrays by"}, "jsonl": names}
        sheet.close()


def faint_names(sheet: ExportOptionsDialog, form: str) -> set[str]:
    """The names of the fields that cannot be filled in for a form."""
    sheet.form.setCurrentIndex(sheet.form.findData(form))
    labels = [label for label in sheet.findChildren(QLabel) if label.buddy() is not None]
    return {label.text().replace("&", "") for label in labels if not label.isEnabled()}
