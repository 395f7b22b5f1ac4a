"""Tests of the dialog for the file of an export and its kind, against the reference server."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from openpyxl import load_workbook
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from cdb_desktop.events.export import tables
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.file_dialog import ExportFileDialog, file_types, type_of_path
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


def opened(view: EventsView, actions: Actions) -> ExportFileDialog:
    """The dialog, by its key."""
    actions["export"].trigger()
    dialog = view.findChild(ExportFileDialog)
    assert isinstance(dialog, ExportFileDialog)
    return dialog


def take(dialog: ExportFileDialog, beginning: str) -> None:
    """Chooses the kind whose words begin so, as somebody does with the list."""
    (chosen,) = (one for one in dialog.nameFilters() if one.startswith(beginning))
    dialog.selectNameFilter(chosen)
    dialog.filterSelected.emit(chosen)


def files_of(folder: Path) -> list[Path]:
    """What an export has left in a folder."""
    return list(folder.glob("events*"))


async def test_every_kind_is_offered_and_the_name_follows_it(
    browse: Browse, actions: Actions, tmp_path: Path
) -> None:
    """XLSX from Ctrl+E: a row for each event that is shown."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        dialog = opened(view, actions)
        kinds = [one.split(",")[0].split(" (")[0] for one in dialog.nameFilters()]
        tables = ["CSV", "CSV", "CSV", "Separated by tabs", "CSV with all fields"]
        assert kinds == [*tables, "JSON", "XLSX", "Parquet"]
        assert Path(dialog.selectedFiles()[0]).suffix == ".csv"
        take(dialog, "Parquet")
        assert Path(dialog.selectedFiles()[0]).suffix == ".parquet"
        take(dialog, "XLSX")
        assert Path(dialog.selectedFiles()[0]).suffix == ".xlsx"
        target = tmp_path / "events.xlsx"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(view.notice.isVisible, seconds=60)
        assert view.notice.title == "Exported"
        titles, *rows = load_workbook(target, read_only=True)["events"].values
        assert titles == ("_id", "timestamp (UTC)", "type", "user", "object")
        assert len(rows) == view.model.rowCount()


async def test_a_name_says_what_is_meant(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """A file with the ending of JSON lines holds JSON lines, whatever stands in the list."""
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


async def test_what_cannot_be_written_is_greyed_with_the_reason(
    browse: Browse, actions: Actions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is not written as something else where a dialog lets it be chosen all the same."""
    monkeypatch.setattr(tables, "find_spec", lambda _name: None)
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        dialog = opened(view, actions)
        assert dialog.nameFilters()[-1] == "Parquet, for data frames – needs the library pyarrow (*.parquet)"
        listed = dialog.findChild(QComboBox, "fileTypeCombo")
        assert isinstance(listed, QComboBox)
        can = Qt.ItemFlag.ItemIsEnabled
        enabled = [bool(listed.model().flags(listed.model().index(row, 0)) & can) for row in range(8)]
        assert enabled == [True] * 6 + [False] * 2
        dialog.fileSelected.emit(str(tmp_path / "events.parquet"))
        dialog.close()
        await until(view.notice.isVisible)
        assert view.notice.title == "Not exported"
        assert "needs the library pyarrow" in view.notice.text
        assert not files_of(tmp_path)


def test_too_many_rows_for_a_sheet_are_told_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spreadsheet has a last row; the others go on."""
    monkeypatch.setattr(tables, "find_spec", lambda name: name)
    told = {kind.options.file_format: kind.obstacle for kind in file_types(1_048_576)}
    assert told["xlsx"].startswith("holds no more than 1")
    assert told["parquet"] == told["csv"] == ""
    assert not any(kind.obstacle for kind in file_types(1_048_575))
    assert not any(kind.obstacle for kind in file_types(None))


def test_an_ending_of_several_kinds_leaves_the_choice() -> None:
    """What ends with csv may be separated by anything; an ending that is no kind's says nothing."""
    kinds = file_types(10)
    for chosen in kinds[:4]:
        assert type_of_path(Path("a.csv"), chosen, kinds) is chosen
        assert type_of_path(Path("a.2026"), chosen, kinds) is chosen
    assert type_of_path(Path("a.CSV"), kinds[-1], kinds) is kinds[0]
