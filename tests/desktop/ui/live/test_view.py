"""Tests of the live feed's view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.widgets.builders import event


@pytest.fixture
def view(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> LiveView:
    """A feed on the screen with a hundred events, at its end."""
    view = LiveView(appearance, settings, QAction())
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.resize(800, 300)
    view.show()
    view.strip.show()
    view.add([event(number) for number in range(100)])
    qtbot.waitUntil(lambda: view.table.model().rowCount() == 100)
    return view


def test_the_feed_follows_its_end(qtbot: QtBot, view: LiveView) -> None:
    """Who looks at the newest event sees the next one."""
    assert view.table.visible_rows()[1] == 99
    view.add([event(100)])
    qtbot.waitUntil(lambda: view.table.visible_rows()[1] == 100)


def test_events_are_gathered_into_few_changes(qtbot: QtBot, view: LiveView) -> None:
    """A flood is one change of rows, not thousands."""
    changes: list[int] = []
    view.table.model().rowsInserted.connect(lambda _parent, _first, last: changes.append(last))
    for number in range(100, 600):
        view.add([event(number)])
    qtbot.waitUntil(lambda: view.table.model().rowCount() == 600)
    assert changes == [599]


def test_who_scrolls_away_keeps_the_place_and_is_told(qtbot: QtBot, view: LiveView) -> None:
    """Nothing moves under the eyes; a button tells how much is new and leads back to the end."""
    view.table.verticalScrollBar().setValue(10)
    view.add([event(100), event(101)])
    behind = view.strip.findChild(QPushButton)
    assert behind is not None
    qtbot.waitUntil(behind.isVisible)
    assert (view.table.visible_rows()[0], behind.text()) == (10, "2 new below")
    behind.click()
    assert view.table.visible_rows()[1] == 101
    assert not behind.isVisible()
