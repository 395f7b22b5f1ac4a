"""Tests of the summary of a result, with the reference server."""

import csv
import io
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.events.summary import SummaryKind, SummaryTable
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.overview.summary import SummaryDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of


async def opened(view: EventsView, actions: Actions) -> SummaryDialog:
    """Opens the dialog and waits for its numbers; the first use imports a large library."""
    actions["summary"].trigger()
    dialog = child_of(view, SummaryDialog)
    await until(lambda: dialog.table.rowCount() > 0, 30)
    return dialog


async def test_the_whole_result_is_summarised(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """As a table, as a plot and as files; the totals are those of the service."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        dialog = await opened(view, actions)
        rows = range(dialog.table.rowCount())
        titles = {dialog.table.model().headerData(row, Qt.Orientation.Vertical) for row in rows}
        assert titles == {"SEARCH", "DETAIL_VIEW"}
        dialog.save_table(tmp_path / "table.csv")
        dialog.save_plot(tmp_path / "plot.png")
        lines = list(csv.reader(io.StringIO((tmp_path / "table.csv").read_bytes().decode(), newline="")))
        assert sum(int(row[-1]) for row in lines[1:]) == view.model.rowCount()
        assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
        dialog.kind.setCurrentIndex(dialog.kind.findData(SummaryKind.USER_HOUR))
        await until(lambda: dialog.table.columnCount() == 25)
        dialog.save_table(tmp_path / "no" / "table.csv")
        assert dialog.fault.startswith("Not written: ")


async def test_closing_cancels_the_summary(browse: Browse, actions: Actions) -> None:
    """No further pages are read."""
    async with browse() as (view, _controller):
        actions["summary"].trigger()
        dialog = child_of(view, SummaryDialog)
        await until(lambda: " events read" in dialog.waiting.text)
        assert dialog.waiting.isVisible()
        assert dialog.table.isHidden()
        dialog.close()
        await until(lambda: view.findChild(SummaryDialog) is None)


def test_every_header_of_the_table_is_readable(qtbot: QtBot, appearance: Appearance) -> None:
    """Whatever the widths were in the table before."""
    window = QWidget()
    qtbot.addWidget(window)
    dialog = SummaryDialog(appearance, window)
    header, metrics = dialog.table.horizontalHeader(), dialog.table.fontMetrics()
    for columns in (
        ("00", "DETAIL_VIEW"),
        ("INDEX_REBUILD_FINISHED", "00"),
        ("a",),
        ("b", "SEARCH", "d"),
    ):
        dialog.show_table(SummaryTable(("root",), columns, ((1,) * len(columns),)))
        assert headers_of(dialog) == [*columns, "Σ"]
        for place, title in enumerate(headers_of(dialog)):
            assert header.sectionSize(place) >= metrics.horizontalAdvance(title) + 16


def headers_of(dialog: SummaryDialog) -> list[str]:
    """The headers of the table."""
    model = dialog.table.model()
    return [str(model.headerData(place, Qt.Orientation.Horizontal)) for place in range(model.columnCount())]
