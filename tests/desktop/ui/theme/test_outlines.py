"""Tests of the outlines of controls: measured in screenshots, in light and dark."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT, TABLE_HEADER
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.plain_table import PlainTable
from tests.desktop.ui.theme.test_tokens import contrast

_LEAST = 3  # WCAG 1.4.11
_CONTROLS = (QPushButton, QCheckBox, QRadioButton, QComboBox, QSpinBox, QLineEdit, QPlainTextEdit)


@pytest.fixture(params=["light", "dark"])
def look(request: pytest.FixtureRequest, qapp: QApplication, settings: QSettings) -> Iterator[Appearance]:
    """Both themes."""
    choice: Choice = request.param
    settings.setValue("appearance", choice)
    made = Appearance(qapp, settings)
    yield made
    made.choose("light")


def test_controls_have_a_visible_outline(qtbot: QtBot, look: Appearance) -> None:
    """On a line from the window into the control, one pixel has enough contrast."""
    for kind in _CONTROLS:
        made, window = kind(), QWidget()
        qtbot.addWidget(window)
        QHBoxLayout(window).addWidget(made)
        window.resize(160, 60)
        window.show()
        picture = window.grab().toImage()
        start = made.mapTo(window, QPoint(0, made.height() // 2))
        places = range(start.x(), min(start.x() + 12, 150))
        strongest = max(contrast(_at(picture, x, start.y()), look.tokens.raised) for x in places)
        assert strongest >= _LEAST, kind


def test_a_field_with_a_style_sheet_has_it_too(qtbot: QtBot, look: Appearance) -> None:
    """Search fields have their own style sheet."""
    field = QLineEdit()
    qtbot.addWidget(field)
    field.setStyleSheet(LINE_EDIT)
    field.show()
    assert contrast(_at(field.grab().toImage(), 0, field.height() // 2), look.tokens.ground) >= _LEAST


def test_the_line_below_headers_is_visible(qtbot: QtBot, look: Appearance) -> None:
    """It separates the header of a table from its rows."""
    table = PlainTable()
    qtbot.addWidget(table)
    table.setColumnCount(2)
    table.horizontalHeader().setStyleSheet(TABLE_HEADER)
    table.show()
    header = table.horizontalHeader()
    picture = header.grab().toImage()
    assert contrast(_at(picture, 5, header.height() - 1), look.tokens.ground) >= _LEAST


def test_a_hovered_splitter_handle_is_visible(qtbot: QtBot, look: Appearance) -> None:
    """Otherwise it is a decorative hairline."""
    split = Splitter(Qt.Orientation.Horizontal)
    qtbot.addWidget(split)
    split.addWidget(QWidget())
    split.addWidget(QWidget())
    split.resize(200, 100)
    split.show()
    handle = split.handle(1)
    middle = handle.rect().center()
    rest = _at(handle.grab().toImage(), middle.x(), 50)
    handle.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    hovered = _at(handle.grab().toImage(), middle.x(), 50)
    assert contrast(rest, look.tokens.raised) < _LEAST <= contrast(hovered, look.tokens.raised)


def test_a_focused_table_has_a_ring(qtbot: QtBot, look: Appearance) -> None:
    """While the keyboard is used, and not after a click."""
    window = QWidget()
    qtbot.addWidget(window)
    table, other = QTableWidget(3, 2), QPushButton("other")
    layout = QHBoxLayout(window)
    layout.addWidget(other)
    layout.addWidget(table)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    other.setFocus()
    QTest.keyClick(other, Qt.Key.Key_Tab)
    qtbot.waitUntil(table.hasFocus)
    accent = window.palette().color(QPalette.ColorRole.Accent)
    assert QColor(_at(table.grab().toImage(), 0, 20)) == accent
    assert contrast(accent.name(), look.tokens.ground) >= _LEAST
    other.setFocus()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton)
    assert QColor(_at(table.grab().toImage(), 0, 20)) != accent


def _at(picture: QImage, x: int, y: int) -> str:
    return picture.pixelColor(x, y).name()
