"""Tests of the main window with the panes of a connection that sends no requests."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QLabel,
    QLineEdit,
    QToolBar,
    QToolButton,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from cdb_desktop.client import MissingRightError, Session, User
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.live.recording import EndRecordingDialog, RecordingController
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.palette.palette import Overlay
from cdb_desktop.ui.shell.workspace import Workspace
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import RAIL
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import ROOT, open_workspace

NOBODY = Session(token="t", user=User(displayname="Nobody"))

Open = Callable[..., tuple[MainWindow, Workspace]]


@pytest.fixture
def opened(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Open:
    """Returns a function that makes a window with a connection."""

    def make(session: Session = ROOT) -> tuple[MainWindow, Workspace]:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        window.show()
        workspace = open_workspace(window, appearance, settings, session=session)
        return window, workspace

    return make


def test_the_events_page_is_first_with_the_feed_below(qtbot: QtBot, opened: Open) -> None:
    """The name of the connection is in title and status bar. Ctrl+1 and Ctrl+2 switch the page."""
    window, workspace = opened()
    assert workspace.events_view.isVisible()
    assert workspace.live_view.isVisible()
    assert window.windowTitle() == "museum · Root"
    assert window.status.who.text() == "museum · Root"
    with qtbot.waitActive(window):
        window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert workspace.schema.view.isVisible()
    assert not workspace.live_view.isVisible()
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert workspace.events_view.isVisible()
    assert workspace.live_view.isVisible()


def test_notices_of_a_page_wait_for_that_of_the_window(opened: Open) -> None:
    """Which says what nothing works without."""
    window, workspace = opened()
    events = workspace.events_view
    question = events.interrupted.add()
    question.show_notice("warning", "Continue?", "")
    assert question.isVisible()
    window.notice.show_notice("accent", "holiday.jsonl", "")
    assert not question.isVisible()
    newer = events.interrupted.add()
    newer.show_notice("warning", "Delete?", "")
    assert [one.isVisible() for one in (window.notice, question, newer)] == [True, False, False]
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert [one.isVisible() for one in (window.notice, question, newer)] == [False, False, True]


def test_the_panes_are_deleted_with_their_connection(qtbot: QtBot, opened: Open) -> None:
    """Neither the feed nor its dock title nor the container remains; actions that need one are disabled."""
    window, workspace = opened()
    left = (workspace, *workspace.pages.values(), workspace.feed, workspace.live_view.strip)
    window.leave()
    qtbot.waitUntil(lambda: not any(isValid(one) for one in left))
    assert window.start.choices.isVisible()
    assert not window.actions_by_name["refresh"].isEnabled()
    assert window.actions_by_name["quit"].isEnabled()


def test_the_shown_page_stays_marked_in_the_rail(opened: Open) -> None:
    """A click on its icon changes nothing; one on another icon moves the mark."""
    window, _workspace = opened()
    events, schema = (child_of(window, QAbstractButton, f"rail.{name}") for name in ("events", "schema"))
    for button, other in ((events, schema), (events, schema), (schema, events), (schema, events)):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert button.isChecked()
        assert not other.isChecked()


def test_the_feed_is_remembered_for_each_page(opened: Open) -> None:
    """It is hidden on all pages but the events until it is shown there, and never without a connection."""
    window, _workspace = opened()
    actions = window.actions_by_name

    def beside(window: MainWindow) -> list[str]:
        """The pages beside which the feed is visible."""
        found = []
        for page in ("events", "schema", "errors", "settings"):
            window.actions_by_name[page].setChecked(True)
            if _dock(window).isVisible():
                found.append(page)
        return found

    assert beside(window) == ["events"]
    actions["schema"].setChecked(True)
    actions["live"].trigger()
    actions["events"].setChecked(True)
    actions["live"].trigger()
    assert beside(window) == ["schema"]
    window.leave()
    assert beside(window) == []
    again, _workspace = opened()
    assert beside(again) == ["schema"]


@pytest.mark.parametrize(
    ("spoken", "names"),
    [
        ("de", ["Ereignisse", "Schema", "Fehlercodes", "Live", "Einstellungen"]),
        ("en", ["Events", "Schema", "Error codes", "Live", "Settings"]),
    ],
)
def test_the_rail_names_the_pages_on_request(
    opened: Open, set_language: SetLanguage, spoken: Language, names: list[str]
) -> None:
    """The names fit in both languages; whether they are shown is remembered."""
    set_language(spoken)
    window, _workspace = opened()
    rail = child_of(window, QToolBar, "rail")
    buttons = [each for each in rail.findChildren(QAbstractButton) if each.objectName().startswith("rail.")]
    widest = max(map(buttons[0].fontMetrics().horizontalAdvance, names))
    assert widest < rail.width() < 2 * widest
    assert {button.width() for button in buttons} == {rail.width() - 1}
    height = buttons[0].height()
    window.actions_by_name["page_names"].trigger()
    assert rail.width() == RAIL
    assert buttons[0].height() < height
    again, _workspace = opened()
    assert child_of(again, QToolBar, "rail").width() == RAIL
    again.actions_by_name["page_names"].trigger()
    assert again.actions_by_name["page_names"].isChecked()
    assert buttons[0].height() == height


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_the_diagram_has_room_on_a_laptop(
    opened: Open, set_language: SetLanguage, spoken: Literal["en", "de"], qtbot: QtBot
) -> None:
    """The demo's, which is 1816 wide, is shown at 38 % beside tree and form when the page is first seen."""
    set_language(spoken)
    window, workspace = opened()
    window.actions_by_name["schema"].setChecked(True)
    window.resize(1280, 728)
    view = workspace.schema.view
    view._stack.setCurrentIndex(0)
    qtbot.waitUntil(lambda: view.diagram.viewport().width() > 0.38 * 1816)


def test_actions_without_their_right_are_disabled(opened: Open) -> None:
    """The pages are accessible to everybody; a disabled action names the right (§5.2)."""
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
    """They stay open when the connection closes, and lead back to the previous page; one has *About*."""
    window, _workspace = opened()
    window.actions_by_name["errors"].setChecked(True)
    window.leave()
    assert window.offline_pages.errors.isVisible()
    window.actions_by_name["settings"].setChecked(True)
    assert window.offline_pages.settings.isVisible()
    window.offline_pages.settings.leave_requested.emit()
    assert window.start.isVisible()
    assert window.actions_by_name["events"].isChecked()
    window.actions_by_name["about"].trigger()
    assert window.offline_pages.settings.about.isVisible()


def test_a_failure_can_be_explained(opened: Open) -> None:
    """The notice opens the Errors page with its code, and its details can be copied."""
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
    """With Ctrl+K; an action of a page shows that page."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    window.actions_by_name["settings"].setChecked(True)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field = child_of(window, QLineEdit, "palette.field")
    QTest.keyClicks(field, "inspector")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert workspace.events_view.isVisible()


def test_only_one_overlay_is_open(opened: Open) -> None:
    """The shortcuts replace the palette, also if the widget focused before is deleted."""
    window, _workspace = opened()
    window.actions_by_name["palette"].trigger()
    window.leave()
    window.actions_by_name["keys"].trigger()
    shown = [overlay.objectName() for overlay in window.findChildren(Overlay) if overlay.isVisible()]
    assert shown == ["keys"]


def test_the_shortcuts_of_the_focused_part_are_first(qtbot: QtBot, opened: Open) -> None:
    """Those of the page or those of the feed."""
    window, workspace = opened()
    with qtbot.waitActive(window):
        window.activateWindow()
    for place, title in (
        (workspace.live_view.strip.more, "Live"),
        (workspace.events_view.table, "Events"),
    ):
        place.setFocus()
        window.actions_by_name["keys"].trigger()
        overlay = next(each for each in window.findChildren(Overlay) if each.isVisible())
        heads = [
            label.text()
            for label in overlay.findChildren(QLabel)
            if label.font().weight() == QFont.Weight.Bold
        ]
        assert heads[0] == title
        window.actions_by_name["keys"].trigger()


def test_a_second_connection_has_the_same_layout(
    opened: Open, appearance: Appearance, settings: QSettings
) -> None:
    """Its feed is in the dock of the first one."""
    window, _first = opened()
    window.leave()
    second = open_workspace(window, appearance, settings, name="library")
    assert second.events_view.isVisible()
    assert second.live_view.isVisible()
    assert second.live_view.strip.isVisible()


def test_closing_asks_before_a_recording_ends(opened: Open, tmp_path: Path) -> None:
    """Its file is complete then; after Cancel it goes on."""
    window, workspace = opened()
    recorder = RecordingController(workspace.live_view, window.actions_by_name).incoming
    recorder.begin(tmp_path / "feed.jsonl")
    for is_open in (True, False):
        window.close()
        assert window.isVisible()
        dialog = child_of(window, EndRecordingDialog)
        (dialog.cancel_button if is_open else dialog.accept_button).click()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
        assert (window.isVisible(), recorder.recording is not None) == (is_open, is_open)


def test_size_docks_and_page_are_restored(opened: Open) -> None:
    """At the next start."""
    window, _workspace = opened()
    window.resize(798, 590)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, _dock(window))
    window.actions_by_name["schema"].setChecked(True)
    window.close()
    again, workspace = opened()
    assert (again.width(), again.height()) == (798, 590)
    assert again.dockWidgetArea(_dock(again)) == Qt.DockWidgetArea.RightDockWidgetArea
    assert not workspace.live_view.isVisible()
    assert workspace.schema.view.isVisible()


def _dock(window: MainWindow) -> QDockWidget:
    return child_of(window, QDockWidget, "live")


def test_the_page_is_stored_immediately(opened: Open, settings: QSettings) -> None:
    """A killed program does not close its window; Errors and Settings are not restored."""
    window, _workspace = opened()
    for page in ("schema", "errors"):
        window.actions_by_name[page].setChecked(True)
    again, workspace = opened()
    assert workspace.schema.isVisible()
    assert again.actions_by_name["schema"].isChecked()
    again.actions_by_name["events"].setChecked(True)
    _third, workspace = opened()
    assert workspace.events_view.isVisible()


def test_without_the_right_to_list_events_the_schema_is_first(opened: Open) -> None:
    """The events page stays accessible, and is first for a user who has the right."""
    window, workspace = opened(NOBODY)
    assert workspace.schema.isVisible()
    assert window.actions_by_name["schema"].isChecked()
    _other, others = opened()
    assert others.events_view.isVisible()
    window.actions_by_name["events"].setChecked(True)
    assert workspace.events_view.isVisible()
