"""Tests of the event table with a million rows."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, QLocale, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.ui.widgets.builders import EndlessModel

MILLION = 1_000_000


@pytest.fixture
def table(qtbot: QtBot, appearance: Appearance) -> EventTable:
    """A visible table of a million rows."""
    table = EventTable(EndlessModel(MILLION), appearance)
    qtbot.addWidget(table)
    table.resize(1000, 600)
    table.show()
    return table


def test_cells_and_headers_have_texts(table: EventTable) -> None:
    """Painted texts are accessible as well; a row that is not loaded has none."""
    model = table.model()
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(5)]
    assert titles == ["Id", "Time", "Type", "User", "Object"]
    assert [model.index(1234, column).data() for column in (0, 3, 4)] == [
        QLocale().toString(1234),
        "Anna Weber",
        "work 1234 v3",
    ]
    assert model.index(9, 0).data() == ""


def test_visible_rows_are_emitted_after_scrolling(qtbot: QtBot, table: EventTable) -> None:
    """Whatever the distance, and once for several steps."""
    with qtbot.waitSignal(table.rows_shown):
        table.verticalScrollBar().setValue(1)
    with qtbot.waitSignal(table.rows_shown) as blocker:
        for row in range(500_000, 500_100):
            table.verticalScrollBar().setValue(row)
    first, last = blocker.args or (0, 0)
    assert (first, table.visible_rows()) == (500_099, (first, last))
    assert 20 <= last - first <= 25


def test_selecting_all_is_fast(table: EventTable) -> None:
    """A header that shares the view's selection model would access each of the million rows."""
    model = table.model()
    assert isinstance(model, EndlessModel)
    table.selectAll()
    table.viewport().repaint()
    table.horizontalHeader().viewport().repaint()
    assert 0 < model.flag_calls < 10_000


def test_cells_have_the_colors_of_their_families(table: EventTable, appearance: Appearance) -> None:
    """Deletions are red, log-ins violet."""
    image = table.viewport().grab().toImage()
    seen = {
        image.pixelColor(x, y).name().upper()
        for x in range(image.width())
        for y in range(image.height() // 3)
    }
    tokens = appearance.tokens
    assert {tokens.danger, tokens.session, tokens.accent, tokens.writing, tokens.export} <= seen


def test_the_scroll_bar_reaches_the_bottom(qtbot: QtBot, table: EventTable) -> None:
    """The corner is shown only if there are two scroll bars."""
    table.setColumnWidth(5, 2000)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().isVisible())
    assert table.verticalScrollBar().height() < table.height() - 10
    assert table.cornerWidget().isVisible()
    table.setColumnWidth(5, 100)
    qtbot.waitUntil(lambda: not table.horizontalScrollBar().isVisible())
    assert table.verticalScrollBar().mapTo(table, table.verticalScrollBar().rect().bottomLeft()).y() == (
        table.height() - 1
    )


def edge_of(table: EventTable, row: int) -> str:
    """The color at the left edge of a row."""
    image = table.viewport().grab().toImage()
    return image.pixelColor(1, table.rowViewportPosition(row) + table.rowHeight(row) // 2).name().upper()


def test_the_current_one_of_several_selected_rows_is_marked(
    qtbot: QtBot, table: EventTable, appearance: Appearance
) -> None:
    """It is the row in the inspector; its color shows whether the table has the focus."""
    tokens = appearance.tokens
    other = QLineEdit()
    qtbot.addWidget(other)
    other.show()
    table.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    table.selectRow(2)
    rows = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().select(table.model().index(5, 0), rows)
    assert [edge_of(table, row) for row in (2, 4, 5)] == [tokens.accent, tokens.ground, tokens.selected]
    no_change = QItemSelectionModel.SelectionFlag.NoUpdate
    table.selectionModel().setCurrentIndex(table.model().index(5, 3), no_change)
    assert [edge_of(table, row) for row in (2, 5)] == [tokens.selected, tokens.accent]
    table.clearFocus()
    assert edge_of(table, 5) == tokens.edge


def test_placeholders_of_numbers_are_right_aligned(table: EventTable, appearance: Appearance) -> None:
    """Like the numbers, so that nothing moves when they are loaded."""
    table.verticalScrollBar().setValue(0)
    image = table.viewport().grab().toImage()
    middle = table.rowViewportPosition(9) + table.rowHeight(9) // 2
    ground = QColor(appearance.tokens.ground)
    inked = [x for x in range(table.columnWidth(0)) if image.pixelColor(x, middle) != ground]
    assert inked[-1] > table.columnWidth(0) - 12
    assert inked[0] > table.columnWidth(0) // 4


@pytest.mark.parametrize("number", [3, 30])
def test_selected_rows_have_the_selection_color(
    table: EventTable, appearance: Appearance, number: int
) -> None:
    """Any number of ranges, and no other rows."""
    chosen, rows = table.selectionModel(), [2 * place for place in range(number)]
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for row in rows:
        chosen.select(table.model().index(row, 0), flags)
    image = table.viewport().grab().toImage()
    height, first, last = table.rowHeight(0), *table.visible_rows()
    edge = image.width() - 2
    grounds = {row: image.pixelColor(edge, row * height + 1).name().upper() for row in range(first, last)}
    selected = {row for row, colour in grounds.items() if colour == appearance.tokens.selected.upper()}
    assert selected == {row for row in rows if row < last}


def test_repainted_rows_are_up_to_date(table: EventTable) -> None:
    """A cached row looks the same; a change of columns invalidates it."""
    model = table.model()
    assert isinstance(model, EndlessModel)
    before = table.viewport().grab().toImage()
    assert table.viewport().grab().toImage() == before
    columns = model.columns
    model.columns = tuple(replace(column, text=lambda _event: "else") for column in columns)
    assert table.viewport().grab().toImage() != before
    model.columns = columns
    assert table.viewport().grab().toImage() == before
