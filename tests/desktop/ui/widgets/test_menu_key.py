"""Tests of the second key for menus."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.menu_key import offer_menu_key


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
