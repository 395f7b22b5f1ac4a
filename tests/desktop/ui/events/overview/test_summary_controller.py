"""Tests of the summary of a result, with the reference server."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.events.summary import SummaryKind, SummaryTable
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.overview.summary_dialog import SummaryDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def opened(view: EventsView, actions: Actions) -> SummaryDialog:
    """Opens the dialog and waits for its numbers; the first use imports a large library."""
    actions["summary"].trigger()
    sheet = view.findChild(SummaryDialog)
    assert isinstance(sheet, SummaryDialog)
    await until(lambda: sheet.table.rowCount() > 0, 30)
    return sheet


async def test_the_whole_result_is_summarised(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """As a table, as a plot and as files; the totals are those of the service."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("SEARCH", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        sheet = await opened(view, actions)
        rows = range(sheet.table.rowCount())
        titles = {sheet.table.model().headerData(row, Qt.Orientation.Vertical) for row in rows}
        assert titles == {"SEARCH", "DETAIL_VIEW"}
        sheet.save_table(tmp_path / "table.csv")
        sheet.save_plot(tmp_path / "plot.png")
        lines = list(csv.reader(io.StringIO((tmp_path / "table.csv").read_bytes().decode(), newline="")))
        assert sum(int(row[-1]) for row in lines[1:]) == view.model.rowCount()
        assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
        sheet.kind.setCurrentIndex(sheet.kind.findData(SummaryKind.USER_HOUR))
        await until(lambda: sheet.table.columnCount() == 25)
        sheet.save_table(tmp_path / "no" / "table.csv")
        assert sheet.fault.startswith("Not written: ")


async def test_closing_cancels_the_summary(browse: Browse, actions: Actions) -> None:
    """No further pages are read."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        actions["summary"].trigger()
        sheet = view.findChild(SummaryDialog)
        assert isinstance(sheet, SummaryDialog)
        await until(lambda: " events read" in sheet.waiting.text)
        assert sheet.waiting.isVisible()
        assert sheet.table.isHidden()
        sheet.close()
        await until(lambda: view.findChild(SummaryDialog) is None)


def test_every_header_of_the_table_is_readable(qtbot: QtBot, appearance: Appearance) -> None:
    """Whatever the widths were in the table before."""
    window = QWidget()
    qtbot.addWidget(window)
    sheet = SummaryDialog(appearance, window)
    header, metrics = sheet.table.horizontalHeader(), sheet.table.fontMetrics()
    for columns in (
        ("00", "DETAIL_VIEW"),
        ("INDEX_REBUILD_FINISHED", "00"),
        ("a",),
        ("b", "SEARCH", "d"),
    ):
        sheet.show_table(SummaryTable(("root",), columns, ((1,) * len(columns),)))
        assert headers_of(sheet) == [*columns, "Σ"]
        for place, title in enumerate(headers_of(sheet)):
            assert header.sectionSize(place) >= metrics.horizontalAdvance(title) + 16


def headers_of(sheet: SummaryDialog) -> list[str]:
    """The headers of the table."""
    model = sheet.table.model()
    return [str(model.headerData(place, Qt.Orientation.Horizontal)) for place in range(model.columnCount())]
