"""Tests of small tables: alignment of texts with headers, and the selection as focus indicator."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTableWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.plain_table import PlainTable

TEXTS = ("HHH", "H", "HH")


@pytest.fixture
def table(qtbot: QtBot, appearance: Appearance) -> PlainTable:
    """Two rows below headers with the same texts, visible."""
    appearance.choose("light")
    table = PlainTable()
    qtbot.addWidget(table)
    table.setColumnCount(len(TEXTS))
    table.setRowCount(2)
    table.setHorizontalHeaderLabels(TEXTS)
    for row in range(2):
        for column, text in enumerate(TEXTS):
            table.setItem(row, column, QTableWidgetItem(text))
    table.resizeColumnsToContents()
    table.resize(500, 200)
    table.show()
    return table


def first_text_pixel(part: QWidget, place: QRect) -> int:
    """The x offset of the first text pixel in ``place``."""
    image = part.grab(place).toImage()
    ground = image.pixelColor(1, 1)
    inked = (
        x for x in range(image.width()) for y in range(image.height() - 2) if image.pixelColor(x, y) != ground
    )
    return next(inked, -1)


def test_texts_are_aligned_with_their_headers(table: PlainTable) -> None:
    """To the pixel, in every column."""
    header = table.horizontalHeader()
    for column in range(len(TEXTS)):
        left, width = header.sectionViewportPosition(column), header.sectionSize(column)
        title = first_text_pixel(header.viewport(), QRect(left, 0, width, header.height()))
        text = first_text_pixel(table.viewport(), table.visualRect(table.model().index(0, column)))
        assert title == text > 0


def test_every_header_and_text_fits(table: PlainTable) -> None:
    """After the columns were resized to their contents."""
    metrics = table.fontMetrics()
    assert all(table.columnWidth(place) > metrics.horizontalAdvance(text) for place, text in enumerate(TEXTS))


def test_there_is_no_grid_and_no_frame_around_a_cell(table: PlainTable, appearance: Appearance) -> None:
    """The current cell has the selection background, other cells the background of the table."""
    table.setFocus()
    table.setCurrentCell(0, 1)
    image = table.viewport().grab().toImage()
    chosen, beside = (table.visualRect(table.model().index(row, 1)) for row in range(2))
    selected, ground = QColor(appearance.tokens.selected), QColor(appearance.tokens.ground)
    for rect, colour in ((chosen, selected), (beside, ground)):
        edge = {
            image.pixelColor(x, y).name()
            for x in (rect.left(), rect.right())
            for y in (rect.top(), rect.bottom())
        }
        assert edge == {colour.name()}
