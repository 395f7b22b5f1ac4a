"""Tests of the start page, which is shown without a connection."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.connection.start_view import StartView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message
from tests.desktop.ui.finding import child_of

MUSEUM = ConnectionProfile("https://museum.example", "root", "Museum")
LIBRARY = ConnectionProfile("https://library.example", "anna")


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """All actions."""
    return Actions(appearance)


@pytest.fixture
def start(qtbot: QtBot, appearance: Appearance, actions: Actions) -> StartView:
    """The visible start page."""
    view = StartView(appearance, actions)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    view.show_choices()
    return view


@pytest.mark.parametrize("name", ["demo", "connect"])
def test_each_choice_runs_its_action(qtbot: QtBot, start: StartView, actions: Actions, name: str) -> None:
    """A click and Space trigger the action of a choice."""
    tile = child_of(start, QAbstractButton, f"connection.start.{name}")
    assert tile.accessibleName()
    assert actions[name].toolTip() == tile.toolTip()
    with qtbot.waitSignal(actions[name].triggered):
        QTest.mouseClick(tile, Qt.MouseButton.LeftButton)
    tile.setFocus()
    with qtbot.waitSignal(actions[name].triggered):
        QTest.keyClick(tile, Qt.Key.Key_Space)


def test_recent_connections_are_listed(qtbot: QtBot, start: StartView) -> None:
    """Each has its name or else its host; the most recent one is preselected for Return."""
    start.choices.show_profiles([MUSEUM, LIBRARY])
    start.show_choices()
    recent = start.choices.recent
    assert [recent.item(row).text() for row in (0, 1)] == [
        "Museum, root · museum.example",
        "library.example, anna · library.example",
    ]
    with qtbot.waitSignal(start.choices.opened) as opened:
        QTest.keyClick(recent, Qt.Key.Key_Return)
    assert opened.args == [MUSEUM]
    place = recent.visualItemRect(recent.item(1)).center()
    with qtbot.waitSignal(start.choices.opened) as opened:
        QTest.mouseClick(recent.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.args == [LIBRARY]


def test_without_connections_the_list_is_hidden(start: StartView) -> None:
    """At the first start there are only the choices."""
    assert not start.choices.recent.isVisible()


def test_connecting_can_be_cancelled(qtbot: QtBot, start: StartView) -> None:
    """Escape returns to the choices, also from a failure."""
    start.show_connecting("Connecting", "Signing in.")
    assert start.is_connecting
    with qtbot.waitSignal(start.back_requested):
        _press_escape(start)
    start.show_failure(fault_message("unreachable.refused"))
    assert start.failure is not None
    with qtbot.waitSignal(start.back_requested):
        _press_escape(start)


def test_a_failed_connection_can_be_retried(qtbot: QtBot, start: StartView) -> None:
    """The reason is shown beside the button."""
    start.show_failure(fault_message("unreachable.refused"))
    button = next(one for one in start.findChildren(QAbstractButton) if one.text() == "Try again")
    with qtbot.waitSignal(start.again_requested):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def _press_escape(start: StartView) -> None:
    page = start.currentWidget()
    assert page is not None
    QTest.keyClick(page, Qt.Key.Key_Escape)
