"""Tests of the way of the Tab key."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from cdb_desktop.ui.widgets.tab_order import in_tab_order


def test_tab_goes_as_is_read_and_not_as_was_made(qtbot: QtBot) -> None:
    """Parts in the given order, what is inside a part as before; a part named twice goes first."""
    window = QWidget()
    qtbot.addWidget(window)
    last, box = QLineEdit(window), QWidget(window)
    inner = [QLineEdit(box) for _line in range(2)]
    first = QLineEdit(box)
    layout = QHBoxLayout(window)
    layout.addWidget(box)
    layout.addWidget(last)
    in_tab_order(first, box, last)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    first.setFocus()
    seen = []
    for _step in range(4):
        focus = QApplication.focusWidget()
        assert focus is not None
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert seen == [first, *inner, last]


def test_no_part_takes_another_along_when_it_goes(qtbot: QtBot) -> None:
    """Not the window either, through which the way of the keys leads."""
    window = QWidget()
    qtbot.addWidget(window)
    first, second = QLineEdit(window), QLineEdit(window)
    in_tab_order(first, second)
    delete(first)
    assert isValid(second)
    assert isValid(window)
    assert second.parentWidget() is window
