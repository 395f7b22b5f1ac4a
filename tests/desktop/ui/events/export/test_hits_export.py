"""Tests of exporting hits, with the reference server."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.export.file_dialog import ExportFileType, file_types
from cdb_desktop.ui.events.export.hits_export import HitsExportController
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.events.search.test_hits_controller import found


def kind(form: str) -> ExportFileType:
    """The first file type with this format."""
    return next(one for one in file_types(None) if one.options.file_format == form)


def export_controller(view: EventsView) -> HitsExportController:
    """Returns the controller that exports hits."""
    made = view.findChild(HitsExportController)
    assert isinstance(made, HitsExportController)
    return made


async def test_a_file_is_chosen_and_written(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The button beside the hits exports the listed hits."""
    async with browse() as (view, _controller):
        panel = await found(view, actions, "type=*DELETE")
        panel.export.click()
        dialog = view.findChild(QFileDialog, "events.export.dialog")
        assert isinstance(dialog, QFileDialog)
        assert [one.partition(",")[0] for one in dialog.nameFilters()].count("CSV") == 3
        target = tmp_path / "hits.csv"
        dialog.selectFile(str(target))
        dialog.accept()
        await until(target.exists)
        await until(lambda: view.notice.title == "Exported")
        with target.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert [int(row["_id"]) for row in rows] == [hit.event.id for hit in panel.model.hits]
        assert {row["found_in"] for row in rows} == {"type"}
        assert f"{len(rows)} hits, as they are listed, in {target}" in view.notice.text


async def test_short_records_are_fetched_completely(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """Although the search fetched them without info."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        hits = panel.model.hits
        assert all(hit.event.info is None for hit in hits)
        target = tmp_path / "hits.jsonl"
        export_controller(view).export(hits, target, kind("jsonl"))
        await until(target.exists)
        lines = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
        assert [line["event"]["_id"] for line in lines] == [hit.event.id for hit in hits]
        assert all("info" in line["event"] for line in lines)


async def test_a_write_error_is_reported(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """No partial file is left."""
    async with browse() as (view, _controller):
        panel = await found(view, actions)
        export_controller(view).export(panel.model.hits, tmp_path / "none" / "hits.csv", kind("csv"))
        await until(lambda: view.notice.isVisible() and view.notice.title == "Not exported")
        assert "No file was saved." in view.notice.text
        assert not (tmp_path / "none").exists()
