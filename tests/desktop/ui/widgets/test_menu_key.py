"""Tests of the second key for menus."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.menu_key import offer_menu_key, on_menu


@pytest.mark.skipif(sys.platform == "win32", reason="the platform does it")
def test_the_key_asks_whatever_has_the_focus_for_its_menu(qtbot: QtBot) -> None:
    """And nothing else."""
    window, asked = QWidget(), list[str]()
    qtbot.addWidget(window)
    layout = QHBoxLayout(window)
    parts = {name: QWidget() for name in ("left", "right")}
    for name, part in parts.items():
        part.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        part.customContextMenuRequested.connect(lambda _place, name=name: asked.append(name))
        layout.addWidget(part)
    offer_menu_key(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    for name in ("right", "left"):
        parts[name].setFocus()
        QTest.keyClick(parts[name], Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert asked == ["right", "left"]


def test_the_menu_of_a_list_is_about_what_was_clicked(qtbot: QtBot) -> None:
    """Beside all lines about none; by key about the current one, and below it."""
    told: list[tuple[int, QPoint]] = []
    view = QListWidget()
    qtbot.addWidget(view)
    view.addItems(["one", "two", "three"])
    view.setCurrentRow(1)
    on_menu(view, lambda index, at: told.append((index.row(), at)))
    view.resize(200, 200)
    with qtbot.waitExposed(view):
        view.show()
    port, reasons = view.viewport(), QContextMenuEvent.Reason
    third = view.visualItemRect(view.item(2)).center()
    for place in (third, QPoint(20, 190)):
        event = QContextMenuEvent(reasons.Mouse, place, port.mapToGlobal(place))
        QApplication.sendEvent(port, event)
    QApplication.sendEvent(view, QContextMenuEvent(reasons.Keyboard, QPoint(), QPoint()))
    below = view.visualItemRect(view.item(1)).bottomLeft()
    assert told == [
        (2, port.mapToGlobal(third)),
        (-1, port.mapToGlobal(QPoint(20, 190))),
        (1, port.mapToGlobal(below)),
    ]
