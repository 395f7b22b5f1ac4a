"""Tests of the overlay of keyboard shortcuts."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.actions import Actions, key_of, plain
from cdb_desktop.ui.shell.palette.keys_overlay import KeysOverlay
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.conftest import SetLanguage


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The parent of the overlay."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    return window


def test_every_shortcut_is_listed(window: QWidget, appearance: Appearance) -> None:
    """With the name of its action."""
    actions = Actions(appearance)
    overlay = KeysOverlay(window, appearance, actions)
    overlay.open_keys()
    shown = {label.text() for label in overlay.findChildren(QLabel)}
    for name in actions:
        if key_of(actions[name]):
            assert {plain(actions[name].text()), key_of(actions[name])} <= shown


def test_the_preferred_menu_is_first(window: QWidget, appearance: Appearance) -> None:
    """The others follow in their order."""
    overlay = KeysOverlay(window, appearance, Actions(appearance))
    overlay.open_keys("&Live")
    assert _heads(overlay) == [
        *("Live", "File", "Edit", "View", "Events", "Schema", "Help", "In the diagram")
    ]
    overlay.open_keys()
    overlay.open_keys()
    assert _heads(overlay)[0] == "File"


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_no_key_is_cut_off(
    qapp: QApplication, set_language: SetLanguage, window: QWidget, appearance: Appearance, spoken: Language
) -> None:
    """There is nothing to scroll to the side, however wide the window is."""
    set_language(spoken)
    actions = Actions(appearance)
    for width in (1024, 1366, 1920):
        window.resize(width, 680)
        overlay = KeysOverlay(window, appearance, actions)
        overlay.open_keys("&Schema")
        qapp.processEvents()
        content = overlay._scroll.widget()
        assert content is not None
        assert content.minimumSizeHint().width() <= overlay._scroll.viewport().width(), width
        overlay.deleteLater()


def _heads(overlay: KeysOverlay) -> list[str]:
    content = overlay._scroll.widget()
    assert content is not None
    labels = content.findChildren(QLabel)
    return [label.text() for label in labels if label.font().weight() == QFont.Weight.Bold]


def test_escape_closes_it(window: QWidget, appearance: Appearance, qtbot: QtBot) -> None:
    """As it closes any popup."""
    with qtbot.waitActive(window):
        window.activateWindow()
    overlay = KeysOverlay(window, appearance, Actions(appearance))
    overlay.open_keys()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not overlay.isVisible()


def test_a_listed_key_closes_it_and_has_its_effect(
    window: QWidget, appearance: Appearance, qtbot: QtBot
) -> None:
    """A change behind the overlay would go unnoticed; other keys scroll."""
    with qtbot.waitActive(window):
        window.activateWindow()
    actions = Actions(appearance)
    window.addAction(actions["settings"])
    overlay = KeysOverlay(window, appearance, actions)
    opened: list[bool] = []
    actions["settings"].triggered.connect(lambda: opened.append(overlay.isVisible()))
    overlay.open_keys()
    QTest.keyClick(overlay._scroll, Qt.Key.Key_PageDown)
    assert overlay.isVisible()
    QTest.keyClick(overlay._scroll, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert opened == [False]
    assert not overlay.isVisible()
