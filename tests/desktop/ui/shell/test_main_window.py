"""Tests of the main window with the panes of a connection that nobody asks anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import MissingRightError, Session, User
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.palette.overlay import Overlay
from cdb_desktop.ui.shell.workspace import Workspace
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.ui.shell.builders import views

ROOT = Session(token="t", user=User(displayname="Root"), system_rights={"system.root": {}})
NOBODY = Session(token="t", user=User(displayname="Nobody"))

Open = Callable[..., tuple[MainWindow, Workspace]]


@pytest.fixture
def opened(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Open:
    """Makes a window that shows a connection."""

    def make(session: Session = ROOT) -> tuple[MainWindow, Workspace]:
        window = MainWindow(appearance, settings, PageLoader())
        qtbot.addWidget(window)
        window.show()
        workspace = Workspace(
            views(appearance, settings, window.actions_by_name),
            settings,
            window.actions_by_name,
            Tasks(_raise, window),
        )
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


def test_the_panes_of_a_connection_go_with_it(qtbot: QtBot, opened: Open) -> None:
    """The window keeps neither the feed in its dock nor the title above it, nor what held them together."""
    window, workspace = opened()
    left = (workspace, *workspace.pages.values(), workspace.feed, workspace.feed_title)
    window.leave()
    qtbot.waitUntil(lambda: not any(isValid(one) for one in left))
    assert window.start.choices.isVisible()


def test_keys_switch_the_page(qtbot: QtBot, opened: Open) -> None:
    """Ctrl+2 is the schema, Ctrl+1 the events, and the feed stays beside both."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert workspace.schema.view.isVisible()
    assert workspace.live_view.isVisible()
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert workspace.events_view.isVisible()


def test_what_takes_a_right_is_not_offered_without_it(opened: Open) -> None:
    """The pages are there for everybody; what the right would allow names it (§5.2)."""
    window, _workspace = opened(NOBODY)
    actions = window.actions_by_name
    assert actions["events"].isEnabled()
    for page, name, right in (
        ("events", "export", "system.api.event.get"),
        ("schema", "schema_commit", "system.datamodel.commit"),
    ):
        actions[page].setChecked(True)
        assert not actions[name].isEnabled()
        assert actions[name].toolTip().endswith(f"Requires the right {right}.")


def test_errors_and_settings_need_no_connection(opened: Open) -> None:
    """They stand while a connection goes, and lead back to where somebody was."""
    window, _workspace = opened()
    window.actions_by_name["errors"].setChecked(True)
    window.leave()
    assert window.offline_pages.errors.isVisible()
    window.actions_by_name["settings"].setChecked(True)
    assert window.offline_pages.settings.isVisible()
    window.offline_pages.settings.leave_requested.emit()
    assert window.start.isVisible()
    assert window.actions_by_name["events"].isChecked()


def test_a_failure_can_be_explained(opened: Open) -> None:
    """From the notice to the page that has all about its code, and its details can be copied."""
    window, _workspace = opened()
    error = MissingRightError("user", "error.user.no_system_right", {"right": "system.root"}, status=400)
    window.notice.show_failure(error_message(error))
    copy, explain = (window.notice.findChild(QToolButton, f"failure.{name}") for name in ("copy", "explain"))
    assert copy is not None
    assert explain is not None
    copy.click()
    assert "parameter right: system.root" in QApplication.clipboard().text()
    explain.click()
    shown = window.offline_pages.errors.explanation.error
    assert window.offline_pages.errors.isVisible()
    assert shown is not None
    assert shown.code == "error.user.no_system_right"


def test_a_key_opens_the_palette(qtbot: QtBot, opened: Open) -> None:
    """Ctrl+K; a page-bound action chosen there brings its page."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    window.actions_by_name["settings"].setChecked(True)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field = window.findChild(QLineEdit, "palette.field")
    assert field is not None
    QTest.keyClicks(field, "inspector")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert workspace.events_view.isVisible()


def test_one_sheet_lies_over_the_window_at_a_time(opened: Open) -> None:
    """The keys take the place of the palette, even when what had the focus before is gone."""
    window, _workspace = opened()
    window.actions_by_name["palette"].trigger()
    window.leave()
    window.actions_by_name["keys"].trigger()
    shown = [sheet.objectName() for sheet in window.findChildren(Overlay) if sheet.isVisible()]
    assert shown == ["keys"]


def test_the_keys_begin_with_those_of_what_has_the_focus(qtbot: QtBot, opened: Open) -> None:
    """The page's, or the feed's when somebody is there."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    for place, title in (
        (workspace.live_view.strip.more, "Live"),
        (workspace.events_view.table, "Events"),
    ):
        place.setFocus()
        window.actions_by_name["keys"].trigger()
        sheet = next(each for each in window.findChildren(Overlay) if each.isVisible())
        heads = [
            label.text() for label in sheet.findChildren(QLabel) if label.font().weight() == QFont.Weight.Bold
        ]
        assert heads[0] == title
        window.actions_by_name["keys"].trigger()


def test_about_is_a_part_of_the_settings(opened: Open) -> None:
    """The menu of help leads there."""
    window, _workspace = opened()
    window.actions_by_name["about"].trigger()
    assert window.offline_pages.settings.about.isVisible()


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
    second = Workspace(
        views(appearance, settings, window.actions_by_name),
        settings,
        window.actions_by_name,
        Tasks(_raise, window),
    )
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
    assert workspace.schema.view.isVisible()


def _dock(window: MainWindow) -> QDockWidget:
    dock = window.findChild(QDockWidget)
    assert dock is not None
    return dock


def _raise(error: Exception) -> None:
    raise error


def test_the_page_is_remembered_without_an_end(opened: Open, settings: QSettings) -> None:
    """A program that is killed never closes its window; errors and settings are no page to begin with."""
    window, _workspace = opened()
    for page in ("schema", "errors"):
        window.actions_by_name[page].setChecked(True)
    window.actions_by_name["live"].setChecked(False)
    again, workspace = opened()
    assert workspace.schema.isVisible()
    assert again.actions_by_name["schema"].isChecked()
    assert not workspace.live_view.isVisible()
    again.actions_by_name["events"].setChecked(True)
    _third, workspace = opened()
    assert workspace.events_view.isVisible()


def test_who_may_not_see_events_begins_with_the_schema(opened: Open) -> None:
    """The events stay within reach, and the next one who may see them begins there."""
    window, workspace = opened(NOBODY)
    assert workspace.schema.isVisible()
    assert window.actions_by_name["schema"].isChecked()
    _other, others = opened()
    assert others.events_view.isVisible()
    window.actions_by_name["events"].setChecked(True)
    assert workspace.events_view.isVisible()
