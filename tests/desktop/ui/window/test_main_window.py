"""Tests of the main window with the panes of a connection that nobody asks anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Session, User
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.workspace import Workspace
from cdb_desktop.vocabulary.sentences import sentence

ROOT = Session(token="t", user=User(displayname="Root"), system_rights={"system.root": {}})
NOBODY = Session(token="t", user=User(displayname="Nobody"))

Open = Callable[..., tuple[MainWindow, Workspace]]


@pytest.fixture
def opened(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Open:
    """Makes a window that shows a connection."""

    def make(session: Session = ROOT) -> tuple[MainWindow, Workspace]:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        window.show()
        workspace = Workspace(appearance, settings, window.actions_by_name, Tasks(_raise, window), sentence)
        window.open(workspace, session, "museum", "#0E9F8A")
        return window, workspace

    return make


def test_the_events_are_seen_first_with_the_feed_below(opened: Open) -> None:
    """A connection shows rows, not a choice; its name is in title and status bar."""
    window, workspace = opened()
    assert workspace.events_view.isVisible()
    assert workspace.live_view.isVisible()
    assert window.windowTitle() == "museum · Root"
    assert window.status.who == "museum · Root"


def test_keys_switch_the_page(qtbot: QtBot, opened: Open) -> None:
    """Ctrl+2 is the schema, Ctrl+1 the events, and the feed stays beside both."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert workspace.schema_view.isVisible()
    assert workspace.live_view.isVisible()
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert workspace.events_view.isVisible()


def test_a_page_without_its_right_is_not_offered(opened: Open) -> None:
    """Who may not see the schema is not sent there (§5.2)."""
    window, _workspace = opened(NOBODY)
    assert window.actions_by_name["events"].isEnabled()
    assert not window.actions_by_name["schema"].isEnabled()


def test_leaving_takes_the_panes_away(opened: Open) -> None:
    """What remains is the page that leads to a connection, and nothing that would need one."""
    window, workspace = opened()
    window.leave()
    assert window.start.isVisible()
    assert not workspace.live_view.isVisible()
    assert not window.actions_by_name["refresh"].isEnabled()
    assert window.actions_by_name["quit"].isEnabled()


def test_a_second_connection_finds_the_window_as_the_first_did(
    opened: Open, appearance: Appearance, settings: QSettings
) -> None:
    """The feed's place in the window is taken by the new one's."""
    window, _first = opened()
    window.leave()
    second = Workspace(appearance, settings, window.actions_by_name, Tasks(_raise, window), sentence)
    window.open(second, ROOT, "library", "#0E9F8A")
    assert second.events_view.isVisible()
    assert second.live_view.isVisible()
    assert second.live_view.strip.isVisible()


def test_size_docks_and_page_are_as_they_were(opened: Open) -> None:
    """The next start shows the window as somebody has left it."""
    window, _workspace = opened()
    window.resize(790, 590)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, _dock(window))
    window.actions_by_name["live"].setChecked(False)
    window.actions_by_name["schema"].setChecked(True)
    window.close()
    again, workspace = opened()
    assert (again.width(), again.height()) == (790, 590)
    assert again.dockWidgetArea(_dock(again)) == Qt.DockWidgetArea.RightDockWidgetArea
    assert not workspace.live_view.isVisible()
    assert workspace.schema_view.isVisible()


def _dock(window: MainWindow) -> QDockWidget:
    dock = window.findChild(QDockWidget)
    assert dock is not None
    return dock


def _raise(error: Exception) -> None:
    raise error
