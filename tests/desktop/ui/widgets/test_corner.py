"""Tests of the corner between two scroll bars."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.scroll_bar import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.corner import Corner


def test_the_corner_has_the_colour_of_the_page_and_no_frame(qtbot: QtBot, appearance: Appearance) -> None:
    """As long as there are two bars, and without them the text has the room."""
    text = QPlainTextEdit()
    qtbot.addWidget(text)
    text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
    text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    for bar in (text.verticalScrollBar(), text.horizontalScrollBar()):
        bar.setStyleSheet(SLIM_SCROLL_BAR)
    Corner(text)
    text.resize(200, 100)
    text.show()
    text.setPlainText("\n".join(["a long line " * 20] * 40))
    qtbot.waitUntil(lambda: text.horizontalScrollBar().isVisible() and text.verticalScrollBar().isVisible())
    image = text.grab().toImage()
    corner = {
        image.pixelColor(image.width() - x, image.height() - y).name()
        for x in range(1, 12)
        for y in range(1, 12)
    }
    assert corner == {QColor(appearance.tokens.ground).name()}
    text.setPlainText("a long line " * 20)
    qtbot.waitUntil(lambda: not text.verticalScrollBar().isVisible())
    assert text.horizontalScrollBar().width() == 200
    text.setPlainText("short")
    qtbot.waitUntil(lambda: not text.horizontalScrollBar().isVisible())
    assert text.viewport().width() == 200
