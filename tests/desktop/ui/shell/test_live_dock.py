"""Tests of the position of the live dock: it is chosen, cannot float, and is restored."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import open_workspace

BOTTOM, RIGHT = Qt.DockWidgetArea.BottomDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea

Start = Callable[[], MainWindow]


@pytest.fixture
def start(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Start:
    """Returns a function that starts a window with a connection."""

    def make() -> MainWindow:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        window.show()
        open_workspace(window, appearance, settings)
        return window

    return make


def test_dragging_its_title_does_not_move_it(qtbot: QtBot, start: Start) -> None:
    """A missed splitter handle does not undock it; nor does a double click."""
    window = start()
    dock = _dock(window)
    head = dock.titleBarWidget()
    qtbot.waitExposed(window)
    qtbot.wait(50)
    before, at = dock.geometry(), QPoint(200, 6)
    QTest.mousePress(head, Qt.MouseButton.LeftButton, pos=at)
    for step in range(1, 20):
        QTest.mouseMove(head, at - QPoint(0, 10 * step))
        qtbot.wait(1)
    QTest.mouseRelease(head, Qt.MouseButton.LeftButton, pos=at - QPoint(0, 190))
    assert not dock.isFloating()
    QTest.mouseDClick(head, Qt.MouseButton.LeftButton, pos=at)
    qtbot.wait(50)
    assert not dock.isFloating()
    assert dock.geometry() == before


def test_its_position_is_chosen_and_remembered(start: Start) -> None:
    """Right or bottom, which shows a hidden dock; the menu shows the position, at the next start too."""
    window = start()
    actions = window.actions_by_name
    assert actions["live_bottom"].isChecked()
    actions["live"].setChecked(False)
    actions["live_right"].trigger()
    assert _dock(window).isVisible()
    assert actions["live"].isChecked()
    assert window.dockWidgetArea(_dock(window)) == RIGHT
    assert window.minimumSizeHint().width() <= 1024  # of small screens
    window.close()
    again = start()
    assert again.dockWidgetArea(_dock(again)) == RIGHT
    assert again.actions_by_name["live_right"].isChecked()
    assert not again.actions_by_name["live_bottom"].isChecked()
    again.actions_by_name["live_bottom"].trigger()
    assert again.dockWidgetArea(_dock(again)) == BOTTOM


def test_a_layout_with_a_floating_dock_is_restored_docked(start: Start) -> None:
    """Earlier versions could store such a layout; the dock would cover the title and the menu."""
    window = start()
    dock = _dock(window)
    dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetFloatable)
    dock.setFloating(True)
    dock.move(-40, -30)
    window.close()
    again = start()
    assert not _dock(again).isFloating()
    assert again.dockWidgetArea(_dock(again)) == BOTTOM
    assert again.actions_by_name["live_bottom"].isChecked()
    assert again.rect().contains(_dock(again).geometry())


def _dock(window: MainWindow) -> QDockWidget:
    return child_of(window, QDockWidget, "live")
