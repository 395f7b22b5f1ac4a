"""Story: why did the nightly export fail? The rows say it, without opening one of them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.steps import filter_types, rows_are_loaded, wait_for_rows
from tests.journeys.visit import visiting
from tests.server import serving

_PATIENCE = 30.0  # seconds, for a busy machine
FAILED = "SELECT COUNT(*) FROM _event WHERE type = 'EXPORT_FAILED'"


@pytest.mark.long
async def test_rows_say_why_exports_failed(folders: UserFolders, own_museum: Path) -> None:
    """Space and the arrow show the whole info of several rows; copies contain the summary."""
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            table = visit.events.table
            await until(lambda: visit.events.has_rows and rows_are_loaded(visit), _PATIENCE)
            await filter_types(visit, "EXPORT_FAILED")
            ((count,),) = fetch_rows(own_museum, FAILED)
            assert isinstance(count, int)
            await wait_for_rows(visit, count)
            reason = "“Verbundkatalog · Union catalogue”: TransportError: sftp.catalogue.example:"
            await until(lambda: _summary(table, 0).startswith(reason))
            visit.click(table.viewport(), QPoint(20, 12))
            await until(table.hasFocus)
            low = table.rowHeight(0)
            visit.press(Qt.Key.Key_Space)
            await until(lambda: table.rowHeight(0) > 3 * low)
            second = table.rowViewportPosition(1) + 12
            visit.click(table.viewport(), QPoint(table.columnViewportPosition(_place(table)) + 12, second))
            await until(lambda: table.rowHeight(1) > 3 * low)
            assert table.currentIndex().row() == 0
            table.selectAll()
            QTest.keySequence(table, "Ctrl+C")
            await until(lambda: QGuiApplication.clipboard().text().count(reason) == count)
            visit.press(Qt.Key.Key_Space)
            await until(lambda: table.rowHeight(0) == low)


def _place(table: EventTable) -> int:
    model = table.model()
    titles = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(model.columnCount())]
    return titles.index("Summary")


def _summary(table: EventTable, row: int) -> str:
    return str(table.model().index(row, _place(table)).data() or "")
