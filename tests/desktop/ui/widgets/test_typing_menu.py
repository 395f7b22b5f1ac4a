"""Tests of menus whose entries are gone to by typing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.typing_menu import TypingMenu

ENTRIES = ("Type", "User or group", "Date", "&Base type", "Only pollable", "Only not pollable")


@pytest.fixture
def menu(qtbot: QtBot) -> TypingMenu:
    """Open, with entries of which one cannot be chosen."""
    menu = TypingMenu()
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
def test_an_entry_is_gone_to(menu: TypingMenu, typed: str, found: str) -> None:
    """By the beginning of its words; the same letter again goes on to the next one."""
    QTest.keyClicks(menu, typed)
    assert menu.activeAction().text() == found


def test_an_entry_is_taken_by_return_alone(qtbot: QtBot, menu: TypingMenu) -> None:
    """Typing by itself does nothing."""
    date = menu.actions()[2]
    with qtbot.assertNotEmitted(date.triggered):
        QTest.keyClicks(menu, "date")
    with qtbot.waitSignal(date.triggered):
        QTest.keyClick(menu, Qt.Key.Key_Return)


def test_what_begins_no_entry_is_told(qtbot: QtBot, menu: TypingMenu) -> None:
    """As far as it was typed; what cannot be chosen is not gone to, and the menu opens anew without it."""
    with qtbot.waitSignal(menu.else_typed) as told:
        QTest.keyClicks(menu, "de")
    assert told.args == ["de"]
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    menu.popup(QPoint(0, 0))
    QTest.keyClicks(menu, "d")
    assert menu.activeAction().text() == "Date"
