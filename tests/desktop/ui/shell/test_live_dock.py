"""Tests of the place of the live feed: it is chosen, never torn off, and found again at the next start."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import Session, User
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.workspace import Workspace
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.shell.builders import views

ROOT = Session(token="t", user=User(displayname="Root"), system_rights={"system.root": {}})
BOTTOM, RIGHT = Qt.DockWidgetArea.BottomDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea

Start = Callable[[], MainWindow]


@pytest.fixture
def start(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Start:
    """Starts the window with a connection, as often as it is called."""

    def make() -> MainWindow:
        window = MainWindow(appearance, settings, PageLoader())
        qtbot.addWidget(window)
        window.show()
        actions = window.actions_by_name
        workspace = Workspace(views(appearance, settings, actions), settings, actions, Tasks(_raise, window))
        window.open(workspace, ROOT, "museum", "#0E9F8A")
        return window

    return make


def test_dragging_its_head_leaves_it_where_it_is(qtbot: QtBot, start: Start) -> None:
    """Who misses the line that resizes it by some pixels does not tear it off; nor does a double click."""
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


def test_its_place_is_chosen_and_remembered(start: Start) -> None:
    """At the right or at the bottom; the menu tells where it is, at the next start too."""
    window = start()
    actions = window.actions_by_name
    assert actions["live_bottom"].isChecked()
    actions["live_right"].trigger()
    assert window.dockWidgetArea(_dock(window)) == RIGHT
    window.close()
    again = start()
    assert again.dockWidgetArea(_dock(again)) == RIGHT
    assert again.actions_by_name["live_right"].isChecked()
    assert not again.actions_by_name["live_bottom"].isChecked()
    again.actions_by_name["live_bottom"].trigger()
    assert again.dockWidgetArea(_dock(again)) == BOTTOM


def test_choosing_a_place_shows_it(start: Start) -> None:
    """Nobody chooses a place for what is to stay hidden."""
    window = start()
    window.actions_by_name["live"].setChecked(False)
    window.actions_by_name["live_right"].trigger()
    assert _dock(window).isVisible()
    assert window.actions_by_name["live"].isChecked()


def test_a_layout_in_which_it_floats_is_read_as_docked(start: Start) -> None:
    """As one was kept while it could be torn off: it would lie over title and menu."""
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
    dock = window.findChild(QDockWidget, "live")
    assert dock is not None
    return dock


def _raise(error: Exception) -> None:
    raise error
