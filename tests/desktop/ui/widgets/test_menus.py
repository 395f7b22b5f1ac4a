"""Tests of context menus by key, and of menus that are searched by typing."""

import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QListWidget, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.widgets.menus import TypeAheadMenu, enable_menu_key, on_context_menu


@pytest.mark.skipif(sys.platform == "win32", reason="the platform does it")
def test_the_menu_key_opens_the_menu_of_the_focused_widget(qtbot: QtBot) -> None:
    """Other widgets receive no request."""
    window, requested = QWidget(), list[str]()
    qtbot.addWidget(window)
    layout = QHBoxLayout(window)
    parts = {name: QWidget() for name in ("left", "right")}
    for name, part in parts.items():
        part.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        part.customContextMenuRequested.connect(lambda _place, name=name: requested.append(name))
        layout.addWidget(part)
    enable_menu_key(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    for name in ("right", "left"):
        parts[name].setFocus()
        QTest.keyClick(parts[name], Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert requested == ["right", "left"]


def test_the_menu_of_a_list_is_for_the_clicked_item(qtbot: QtBot) -> None:
    """The background has no item; by key the menu is for the current item and opens below it."""
    requested: list[tuple[int, QPoint]] = []
    view = QListWidget()
    qtbot.addWidget(view)
    view.addItems(["one", "two", "three"])
    view.setCurrentRow(1)
    on_context_menu(view, lambda index, at: requested.append((index.row(), at)))
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
    assert requested == [
        (2, port.mapToGlobal(third)),
        (-1, port.mapToGlobal(QPoint(20, 190))),
        (1, port.mapToGlobal(below)),
    ]


ENTRIES = ("Type", "User or group", "Date", "&Base type", "Only pollable", "Only not pollable")


@pytest.fixture
def menu(qtbot: QtBot) -> TypeAheadMenu:
    """An open menu with a disabled entry."""
    menu = TypeAheadMenu()
    qtbot.addWidget(menu)
    for words in ENTRIES:
        menu.addAction(words)
    menu.addSeparator()
    menu.addAction("Dead").setEnabled(False)
    menu.popup(QPoint(0, 0))
    return menu


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("d", "Date"),
        ("b", "&Base type"),
        ("ty", "Type"),
        ("g", "User or group"),
        ("only n", "Only not pollable"),
        ("tt", "&Base type"),
        ("ttt", "Type"),
        ("OO", "Only not pollable"),
    ],
)
def test_typing_selects_an_entry(menu: TypeAheadMenu, typed: str, found: str) -> None:
    """By the beginning of its text; the same letter again selects the next match."""
    QTest.keyClicks(menu, typed)
    assert plain(menu.activeAction().text()) == plain(found)


def test_only_return_triggers_an_entry(qtbot: QtBot, menu: TypeAheadMenu) -> None:
    """Typing triggers nothing."""
    date = menu.actions()[2]
    with qtbot.assertNotEmitted(date.triggered):
        QTest.keyClicks(menu, "date")
    with qtbot.waitSignal(date.triggered):
        QTest.keyClick(menu, Qt.Key.Key_Return)


def test_text_without_a_match_is_emitted(qtbot: QtBot, menu: TypeAheadMenu) -> None:
    """The complete typed text; disabled entries are skipped, and reopening the menu clears the text."""
    with qtbot.waitSignal(menu.else_typed) as blocker:
        QTest.keyClicks(menu, "de")
    assert blocker.args == ["de"]
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    menu.popup(QPoint(0, 0))
    QTest.keyClicks(menu, "d")
    assert menu.activeAction().text() == "Date"
