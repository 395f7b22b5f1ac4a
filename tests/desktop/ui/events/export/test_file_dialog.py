"""Tests of the file dialog of an export, with the reference server."""

from pathlib import Path

import msgspec
import pytest
from openpyxl import load_workbook
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from cdb_desktop.events.export import table_files
from cdb_desktop.events.export.sheet import SheetOptions
from cdb_desktop.queries.query import NEWEST_FIRST, Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.dialogs import (
    ExportFileDialog,
    ExportFileType,
    file_types,
    type_of_path,
)
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of


def opened(view: EventsView, actions: Actions) -> ExportFileDialog:
    """Opens the dialog with its shortcut."""
    actions["export"].trigger()
    return child_of(view, ExportFileDialog)


def select_filter(dialog: ExportFileDialog, beginning: str) -> None:
    """Selects the type of file whose text begins like this."""
    (chosen,) = (one for one in dialog.nameFilters() if one.startswith(beginning))
    dialog.selectNameFilter(chosen)
    dialog.filterSelected.emit(chosen)


def types_of(rows: int | None) -> tuple[ExportFileType, ...]:
    """The types for a number of rows."""
    return file_types(rows, ("id", "type"), "utc", SheetOptions((NEWEST_FIRST,)))


def files_of(folder: Path) -> list[Path]:
    """The files that an export has left in a folder."""
    return list(folder.glob("events*"))


async def test_every_format_is_offered_and_changes_the_suffix(
    browse: Browse, actions: Actions, tmp_path: Path
) -> None:
    """XLSX from Ctrl+E has a row for each shown event."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        dialog = opened(view, actions)
        kinds = [one.split(",")[0].split(" (")[0] for one in dialog.nameFilters()]
        tables = ["CSV for LibreOffice", "CSV for Excel", "CSV", "Separated by tabs", "CSV with all fields"]
        assert kinds == [*tables, "JSON", "XLSX", "Parquet"]
        assert Path(dialog.selectedFiles()[0]).suffix == ".csv"
        select_filter(dialog, "Parquet")
        assert Path(dialog.selectedFiles()[0]).suffix == ".parquet"
        select_filter(dialog, "XLSX")
        assert Path(dialog.selectedFiles()[0]).suffix == ".xlsx"
        target = tmp_path / "events.xlsx"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(view.notice.isVisible, seconds=60)
        assert view.notice.title == "Exported"
        titles, *rows = load_workbook(target, read_only=True)["events"].values
        assert titles == ("_id", "timestamp (UTC)", "type", "user", "object", "summary")
        assert len(rows) == view.model.rowCount()


async def test_the_suffix_determines_the_format(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """A name with the suffix of JSON lines overrides the selected type."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        dialog = opened(view, actions)
        target = tmp_path / "events.jsonl"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(view.notice.isVisible)
        records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
        assert {record["event"]["type"] for record in records} == {"SEARCH"}
        assert len(records) == view.model.rowCount()


async def test_unavailable_formats_are_disabled_with_the_reason(
    browse: Browse, actions: Actions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Selecting one in a dialog that allows it writes no other format."""
    monkeypatch.setattr(table_files, "find_spec", lambda _name: None)
    async with browse() as (view, _controller):
        dialog = opened(view, actions)
        assert dialog.nameFilters()[-1] == "Parquet, for data frames – needs the library pyarrow (*.parquet)"
        listed = child_of(dialog, QComboBox, "fileTypeCombo")
        can = Qt.ItemFlag.ItemIsEnabled
        enabled = [bool(listed.model().flags(listed.model().index(row, 0)) & can) for row in range(8)]
        assert enabled == [True] * 6 + [False] * 2
        dialog.fileSelected.emit(str(tmp_path / "events.parquet"))
        dialog.close()
        await until(view.notice.isVisible)
        assert view.notice.title == "Not exported"
        assert "needs the library pyarrow" in view.notice.text
        assert not files_of(tmp_path)


def test_too_many_rows_for_a_spreadsheet_are_reported_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spreadsheets have a maximum number of rows; other formats continue."""
    monkeypatch.setattr(table_files, "find_spec", lambda name: name)
    obstacles = {kind.options.file_format: kind.obstacle for kind in types_of(1_048_576)}
    assert obstacles["xlsx"].startswith("holds no more than 1")
    assert obstacles["parquet"] == obstacles["csv"] == ""
    assert not any(kind.obstacle for kind in types_of(1_048_575))
    assert not any(kind.obstacle for kind in types_of(None))


def test_an_ambiguous_suffix_keeps_the_selected_format() -> None:
    """Files with the suffix csv may have any delimiter; an unknown suffix has no effect."""
    kinds = types_of(10)
    for chosen in kinds[:4]:
        assert type_of_path(Path("a.csv"), chosen, kinds) is chosen
        assert type_of_path(Path("a.2026"), chosen, kinds) is chosen
    assert type_of_path(Path("a.CSV"), kinds[-1], kinds) is kinds[0]
