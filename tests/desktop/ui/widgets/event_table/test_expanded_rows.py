"""Tests of expanded rows, in a table with a million rows."""

import time

import msgspec
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.expanded_rows import value_lines
from cdb_desktop.ui.widgets.event_table.paint_cache import ARROW
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.ui.widgets.builders import EndlessModel, event
from tests.durations import shortest

MILLION = 1_000_000
LONG = {"message": "word " * 400, "password": "hunter2", **{f"key {number}": number for number in range(30)}}


class InfoModel(EndlessModel):
    """Events with info; those of even rows have little."""

    def event_at(self, row: int) -> Event | None:
        """The event of a row."""
        found = super().event_at(row)
        info = msgspec.json.encode({"count": row} if row % 2 == 0 else LONG)
        return None if found is None else replace(found, info=msgspec.Raw(info))


@pytest.fixture
def table(qtbot: QtBot, appearance: Appearance) -> EventTable:
    """A visible table of a million rows."""
    table = EventTable(InfoModel(MILLION), appearance)
    qtbot.addWidget(table)
    table.resize(1000, 600)
    table.show()
    return table


def heights(table: EventTable, rows: range) -> list[bool]:
    """Which rows are higher than others."""
    return [table.rowHeight(row) > table.verticalHeader().defaultSectionSize() for row in rows]


def pixels(table: EventTable, row: int) -> int:
    """The number of colors below the line of a row."""
    image = table.viewport().grab().toImage()
    top = table.rowViewportPosition(row)
    rows = range(top + table.verticalHeader().defaultSectionSize(), top + table.rowHeight(row))
    return len({image.pixelColor(x, y).name() for y in rows for x in range(10, 400)})


def test_several_rows_are_expanded_and_collapsed(table: EventTable) -> None:
    """Their text is below their line; other rows move down."""
    table.expanded.toggle(2)
    table.expanded.toggle(4)
    assert heights(table, range(6)) == [False, False, True, False, True, False]
    assert pixels(table, 2) > 5
    assert table.rowViewportPosition(3) == table.rowViewportPosition(2) + table.rowHeight(2)
    table.expanded.toggle(2)
    assert heights(table, range(6)) == [False, False, False, False, True, False]
    table.expanded.toggle(9)  # not loaded
    table.expanded.toggle(-1)
    table.expanded.toggle(4)
    assert not any(heights(table, range(10)))
    assert not table.expanded.is_any


class EmptyModel(EndlessModel):
    """Short records in even rows, and whole ones with nothing in info in the others."""

    def event_at(self, row: int) -> Event | None:
        """The event of a row."""
        found = super().event_at(row)
        info = None if row % 2 == 0 else msgspec.Raw(b"{}")
        return None if found is None else replace(found, info=info)


def test_a_row_without_details_has_no_arrow(qtbot: QtBot, appearance: Appearance) -> None:
    """A click where others have it expands nothing."""
    table = EventTable(EmptyModel(20), appearance)
    qtbot.addWidget(table)
    table.resize(1000, 600)
    table.show()
    left = table.columnViewportPosition(len(table._events.columns) - 1)
    height = table.verticalHeader().defaultSectionSize()
    image = table.viewport().grab().toImage()
    arrows = []
    for row in (2, 3):
        top = table.rowViewportPosition(row)
        place = QRect(left, top + 2, GAP + ARROW, height - 4)
        arrows.append(
            len(
                {
                    image.pixelColor(x, y).name()
                    for x in range(place.left(), place.right())
                    for y in range(place.top(), place.bottom())
                }
            )
        )
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert arrows[0] > arrows[1] == 1
    assert heights(table, range(5)) == [False, False, True, False, False]


def test_at_most_twelve_lines_of_values_are_shown(table: EventTable) -> None:
    """The inspector shows the others."""
    table.expanded.toggle(1)
    lines = table.fontMetrics().lineSpacing()
    assert 10 * lines < table.rowHeight(1) < 20 * lines


def test_a_click_on_the_arrow_expands_the_row(table: EventTable) -> None:
    """The selection stays; a click beside the arrow selects."""
    place = [table.model().headerData(one, Qt.Orientation.Horizontal) for one in range(6)].index("Summary")
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, table.rowViewportPosition(6) + 5)
    )
    arrow = QPoint(table.columnViewportPosition(place) + 12, table.rowViewportPosition(2) + 12)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    assert heights(table, range(4)) == [False, False, True, False]
    assert [index.row() for index in table.selectionModel().selectedRows()] == [6]
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=arrow)
    assert heights(table, range(4)) == [False, False, True, False]
    beside = arrow + QPoint(40, 0)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=beside)
    assert table.currentIndex().row() == 2
    assert table.rowHeight(2) > table.rowHeight(3)


def test_expanded_rows_are_found_again(table: EventTable, qtbot: QtBot) -> None:
    """After scrolling far away, in another width and density, and when the rows are loaded again."""
    table.expanded.toggle(2)
    before = table.rowHeight(2)
    table.verticalScrollBar().setValue(900_000)
    table.expanded.toggle(900_002)
    assert heights(table, range(900_000, 900_004)) == [False, False, True, False]
    model = table.model()
    assert isinstance(model, InfoModel)
    model.beginResetModel()
    model.endResetModel()
    table.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: table.rowHeight(2) == before)
    table.expanded.toggle(1)
    wide = table.rowHeight(1)
    table.resize(500, 600)
    qtbot.waitUntil(lambda: table.rowHeight(1) >= wide and table.rowHeight(2) >= before)


def test_expanding_is_fast_with_a_million_rows(table: EventTable) -> None:
    """Also far down, and scrolling past expanded rows."""
    floor = shortest(table.viewport().repaint, 5)
    times = []
    for row in (900_000, 900_002, 900_004):
        table.verticalScrollBar().setValue(row)
        started = time.thread_time()
        table.expanded.toggle(row)
        QApplication.processEvents()
        times.append(time.thread_time() - started)
    for value in range(899_990, 900_010):
        started = time.thread_time()
        table.verticalScrollBar().setValue(value)
        table.viewport().repaint()
        times.append(time.thread_time() - started)
    assert sorted(times)[len(times) // 2] < 20 * floor


def test_values_are_lines_of_json() -> None:
    """One for each key, secrets masked; without info the other fields."""
    short = event(7)

    def lines(info: bytes) -> list[str]:
        return list(value_lines(replace(short, info=msgspec.Raw(info))))

    assert lines(b'{"a":[1,{"password":"x"}],"b":"c"}') == [f'"a": [1,{{"password":"{MASK}"}}]', '"b": "c"']
    assert lines(b"[1,[2]]") == ["1", "[2]"]
    assert lines(b'"text"') == ['"text"']
    assert lines(b"{}") == ["This event has no info."]
    assert lines(b'{"a":"' + b"x" * 100_000 + b'"}') == ["Info of 100.0 kB: see the inspector (Return)."]
    assert len(lines(b'{"a":"' + b"x" * 50_000 + b'"}')[0]) < 3_000
    assert '"objecttype": "work"' in list(value_lines(short))
    assert lines(b"[" * 5_000 + b"]" * 5_000)
