"""Tests of the export options dialog, with the reference server."""

import csv
import io
from pathlib import Path

import msgspec
import pytest
from openpyxl import load_workbook
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export import table_files
from cdb_desktop.events.export.formats import receipt_path
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.dialogs import ExportOptionsDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of


async def opened(view: EventsView, actions: Actions) -> ExportOptionsDialog:
    """Opens the dialog and waits for its preview."""
    actions["export_options"].trigger()
    dialog = child_of(view, ExportOptionsDialog)
    await until(lambda: "read back" in dialog.fault)
    return dialog


def headers_of(dialog: ExportOptionsDialog) -> list[str]:
    """The column headers of the preview."""
    found = [dialog.table.horizontalHeaderItem(place) for place in range(dialog.table.columnCount())]
    return [item.text() for item in found if item is not None]


def accept(view: EventsView, dialog: ExportOptionsDialog, target: Path) -> None:
    """Chooses the file."""
    dialog.accept_button.click()
    file_dialog = child_of(view, QFileDialog)
    file_dialog.fileSelected.emit(str(target))
    file_dialog.close()


def files_of(target: Path) -> list[str]:
    """The files beside the target."""
    return sorted(path.name for path in target.parent.glob(f"{target.stem}.*"))


def test_the_first_field_has_the_focus(qtbot: QtBot, appearance: Appearance) -> None:
    """The format; the rows if selected ones are offered too."""
    window = QWidget()
    qtbot.addWidget(window)
    dialog = ExportOptionsDialog(appearance, 3, {"id": "Id"}, window)
    dialog.open()
    assert dialog.focusWidget() is dialog.form
    dialog = ExportOptionsDialog(appearance, 3, {"id": "Id"}, window)
    dialog.offer_selected(1, (5,))
    dialog.open()
    assert dialog.focusWidget() is dialog.scope


@pytest.mark.generation5("the form of CSV can be chosen")
async def test_the_preview_shows_the_first_rows_of_the_file(browse: Browse, actions: Actions) -> None:
    """It follows every option; trimming is off, and enabling it shows a warning."""
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        assert dialog.fault == "20 rows read back, 6 cells each"
        assert headers_of(dialog) == ["_id", "timestamp", "type", "user", "object", "summary"]
        assert not dialog.explode.isEnabled()
        dialog.columns.setCurrentIndex(1)
        await until(lambda: dialog.fault == "20 rows read back, 16 cells each")
        assert dialog.options.csv.max_length == 0
        dialog.trim.setValue(30)
        await until(lambda: "longer than 30 are trimmed" in dialog.fault)
        dialog.explode.setChecked(True)
        await until(lambda: dialog.table.columnCount() > 16)
        assert any(title.startswith("info.") for title in headers_of(dialog))


async def test_the_visible_columns_are_written(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """In their order, with columns of info keys; the receipt names them."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        view.columns.show(("user", "id", "info.format", "info.search", "object_id"))
        dialog = await opened(view, actions)
        names = ["user", "_id", "info.format", "info.search", "object_id"]
        await until(lambda: headers_of(dialog) == names)
        assert "The columns on screen, in their order" in dialog.text
        dialog.concat.setText("|")
        dialog.trim.setValue(40)
        target = tmp_path / "events.csv"
        accept(view, dialog, target)
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


async def test_invalid_options_are_reported_immediately(browse: Browse, actions: Actions) -> None:
    """Before the service refuses them; the button is disabled meanwhile."""
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        for field, value in (("quote", ""), ("escape", "ab")):
            getattr(dialog, field).setText(value)
            assert dialog.fault == f"The {field} is one character."
            assert not dialog.accept_button.isEnabled(), field
            getattr(dialog, field).setText('"')
        dialog.delimiter.setEditText('"')
        assert dialog.fault.startswith("The delimiter must be one character")
        dialog.delimiter.setEditText("|")
        assert dialog.accept_button.isEnabled()
        await until(lambda: "read back" in dialog.fault)


async def test_json_lines_with_a_receipt(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The complete records; the receipt contains query, number of rows and range of ids."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000 and "of" in view.count.text)
        dialog = await opened(view, actions)
        dialog.form.setCurrentIndex(1)
        target = tmp_path / "searches.jsonl"
        accept(view, dialog, target)
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
        view.table.selectRow(3)
        for _ in range(2):
            QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        chosen = sorted(event.id for row in (3, 4, 5) if (event := view.model.event_at(row)) is not None)
        dialog = await opened(view, actions)
        await until(lambda: dialog.scope.count() == 2)
        assert dialog.scope.currentText().startswith("All ")
        dialog.scope.setCurrentIndex(1)
        assert dialog.scope.currentText() == "The 3 selected rows"
        dialog.form.setCurrentIndex(dialog.form.findData(form))
        assert "The selected rows (3)" in dialog.text
        if form != "jsonl":
            await until(lambda: dialog.table.rowCount() == 3)
        target = tmp_path / f"events.{form}"
        accept(view, dialog, target)
        await until(lambda: view.notice.isVisible() and view.notice.title == "Exported")
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
    """One record per line, in ascending order of id; labels of fields that JSON has not are disabled."""
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        assert dialog.lines.isHidden()
        dialog.form.setCurrentIndex(dialog.form.findData("jsonl"))
        await until(dialog.lines.toPlainText)
        lines = dialog.lines.toPlainText().splitlines()
        ids = [msgspec.json.decode(line)["event"]["_id"] for line in lines]
        assert ids == list(range(1, 21))
        assert dialog.lines.isVisible()
        assert not dialog.table.isVisible()
        faint = {form: disabled_labels(dialog, form) for form in ("csv", "jsonl")}
        names = {"Columns", "Delimiter", "Quote", "Escape", "Trim values at", "Join arrays by"}
        assert faint == {"csv": {"Join arrays by"}, "jsonl": names}
        dialog.close()


async def test_options_and_folder_are_remembered(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """At the next start; the quick export proposes the same folder."""
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        dialog.columns.setCurrentIndex(1)
        dialog.delimiter.setCurrentIndex(2)
        dialog.bom.setChecked(True)
        dialog.guard.setChecked(True)
        dialog.explode.setChecked(True)
        dialog.concat.setText("|")
        dialog.trim.setValue(77)
        dialog.receipt.setChecked(False)
        wish = dialog.options
        accept(view, dialog, tmp_path / "events.csv")
        await until(view.notice.isVisible)
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        assert dialog.options == wish
        assert wish.csv.delimiter == "\t"
        dialog.close()
        actions["export"].trigger()
        file_dialog = child_of(view, QFileDialog)
        assert Path(file_dialog.directory().absolutePath()) == tmp_path
        file_dialog.close()


async def test_a_table_of_all_fields(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """XLSX with a row for each event and a column for each info key; no other file is left."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "OBJECT_UPDATE", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        dialog = await opened(view, actions)
        dialog.form.setCurrentIndex(dialog.form.findData("xlsx"))
        dialog.columns.setCurrentIndex(1)
        dialog.explode.setChecked(True)
        assert not dialog.delimiter.isEnabled()
        target = tmp_path / "events.xlsx"
        accept(view, dialog, target)
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
    monkeypatch.setattr(table_files, "find_spec", lambda _name: None)
    async with browse() as (view, _controller):
        dialog = await opened(view, actions)
        place = dialog.form.findData("parquet")
        assert dialog.form.itemText(place) == "Parquet, for data frames – needs the library pyarrow"
        assert "needs the library XlsxWriter" in dialog.form.itemText(dialog.form.findData("xlsx"))
        assert not dialog.form.model().flags(dialog.form.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled


def test_too_many_rows_for_a_spreadsheet_are_reported_first(qtbot: QtBot, appearance: Appearance) -> None:
    """Spreadsheets have a maximum number of rows; CSV has none."""
    window = QWidget()
    qtbot.addWidget(window)
    dialog = ExportOptionsDialog(appearance, 1_048_576, {}, window)
    dialog.form.setCurrentIndex(dialog.form.findData("xlsx"))
    assert f"there are {QLocale().toString(1_048_576)}" in dialog.fault
    assert not dialog.accept_button.isEnabled()
    dialog.form.setCurrentIndex(0)
    assert dialog.accept_button.isEnabled()


def disabled_labels(dialog: ExportOptionsDialog, form: str) -> set[str]:
    """The labels of the fields that are disabled for a format."""
    dialog.form.setCurrentIndex(dialog.form.findData(form))
    labels = [label for label in dialog.findChildren(QLabel) if label.buddy() is not None and label.text()]
    return {label.text().replace("&", "") for label in labels if not label.isEnabled()}
