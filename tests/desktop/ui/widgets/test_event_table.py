"""Tests of the table of events at a million rows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, Qt
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table import EventTable
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
