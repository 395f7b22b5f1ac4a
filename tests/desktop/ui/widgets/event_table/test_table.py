"""Tests of the table of events at a million rows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, QLocale, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.ui.widgets.builders import Endless

MILLION = 1_000_000


@pytest.fixture
def table(qtbot: QtBot, appearance: Appearance) -> EventTable:
    """A table of a million rows, on the screen."""
    table = EventTable(Endless(MILLION), appearance)
    qtbot.addWidget(table)
    table.resize(1000, 600)
    table.show()
    return table


def test_cells_have_texts_and_titles(table: EventTable) -> None:
    """What is painted can be read by machines as well; a row on its way has none."""
    model = table.model()
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(5)]
    assert titles == ["Id", "Time", "Type", "User", "Object"]
    assert [model.index(1234, column).data() for column in (0, 3, 4)] == [
        QLocale().toString(1234),
        "Anna Weber",
        "work 1234 v3",
    ]
    assert model.index(9, 0).data() == ""


def test_rows_in_sight_are_told_when_they_have_come_to_rest(qtbot: QtBot, table: EventTable) -> None:
    """However far somebody jumped, and once for many steps."""
    with qtbot.waitSignal(table.rows_shown):
        table.verticalScrollBar().setValue(1)
    with qtbot.waitSignal(table.rows_shown) as told:
        for row in range(500_000, 500_100):
            table.verticalScrollBar().setValue(row)
    first, last = told.args or (0, 0)
    assert (first, table.visible_rows()) == (500_099, (first, last))
    assert 20 <= last - first <= 25


def test_selecting_everything_is_quick(table: EventTable) -> None:
    """A header with the view's own selection would ask every one of the million rows."""
    model = table.model()
    assert isinstance(model, Endless)
    table.selectAll()
    table.viewport().repaint()
    table.horizontalHeader().viewport().repaint()
    assert 0 < model.asked < 10_000


def test_cells_are_painted_in_the_colours_of_their_families(
    table: EventTable, appearance: Appearance
) -> None:
    """A delete is red, a log-in violet."""
    image = table.viewport().grab().toImage()
    seen = {
        image.pixelColor(x, y).name().upper()
        for x in range(image.width())
        for y in range(image.height() // 3)
    }
    tokens = appearance.tokens
    assert {tokens.danger, tokens.session, tokens.accent, tokens.writing, tokens.export} <= seen


def test_the_scroll_bar_goes_down_to_the_foot(qtbot: QtBot, table: EventTable) -> None:
    """The corner is there only where two bars meet."""
    table.setColumnWidth(4, 2000)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().isVisible())
    assert table.verticalScrollBar().height() < table.height() - 10
    assert table.cornerWidget().isVisible()
    table.setColumnWidth(4, 100)
    qtbot.waitUntil(lambda: not table.horizontalScrollBar().isVisible())
    assert table.verticalScrollBar().mapTo(table, table.verticalScrollBar().rect().bottomLeft()).y() == (
        table.height() - 1
    )


def edge_of(table: EventTable, row: int) -> str:
    """The colour with which a row begins."""
    image = table.viewport().grab().toImage()
    return image.pixelColor(1, table.rowViewportPosition(row) + table.rowHeight(row) // 2).name().upper()


def test_the_current_one_of_several_selected_rows_is_marked(
    qtbot: QtBot, table: EventTable, appearance: Appearance
) -> None:
    """It is the one that the inspector shows; its colour tells whether the keys go there."""
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


def test_what_holds_the_place_of_a_number_stands_at_the_right(
    table: EventTable, appearance: Appearance
) -> None:
    """Like the numbers of its column, so that nothing jumps when they come."""
    table.verticalScrollBar().setValue(0)
    image = table.viewport().grab().toImage()
    middle = table.rowViewportPosition(9) + table.rowHeight(9) // 2
    ground = QColor(appearance.tokens.ground)
    inked = [x for x in range(table.columnWidth(0)) if image.pixelColor(x, middle) != ground]
    assert inked[-1] > table.columnWidth(0) - 12
    assert inked[0] > table.columnWidth(0) // 4


@pytest.mark.parametrize("number", [3, 30])
def test_selected_rows_stand_on_their_ground(table: EventTable, appearance: Appearance, number: int) -> None:
    """However many stretches of them there are, and no others."""
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


def test_rows_that_are_painted_again_are_those_of_now(table: EventTable) -> None:
    """What is kept of a row looks as at first; with other columns it is made anew."""
    model = table.model()
    assert isinstance(model, Endless)
    before = table.viewport().grab().toImage()
    assert table.viewport().grab().toImage() == before
    columns = model.columns
    model.columns = tuple(replace(column, text=lambda _event: "else") for column in columns)
    assert table.viewport().grab().toImage() != before
    model.columns = columns
    assert table.viewport().grab().toImage() == before
