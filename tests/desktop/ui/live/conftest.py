"""Fixtures of the tests of the live view: a window with a feed of a hundred events, at its end."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.feed_pane import PausedBanner
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.desktop.live.model_service import ModelService
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.running_feed import RunningFeed, following
from tests.desktop.ui.widgets.builders import event

Follow = Callable[[ModelService], AbstractAsyncContextManager[RunningFeed]]


@dataclass(frozen=True)
class LiveWindow:
    """A window with a live view, and what a user does with it."""

    window: QWidget
    view: LiveView
    actions: Actions

    @property
    def banner(self) -> PausedBanner:
        """The banner of a paused feed."""
        return child_of(self.view, PausedBanner)

    @property
    def empty_state(self) -> EmptyState:
        """What is shown instead of rows."""
        return child_of(self.view, EmptyState)

    @property
    def top(self) -> int:
        """The id of the event at the top."""
        return self.view.model.event_at(self.view.table.verticalScrollBar().value()).id

    @property
    def ids(self) -> list[int]:
        """The ids in the rows."""
        return [self.view.model.event_at(row).id for row in range(self.view.model.rowCount())]

    def add(self, first: int, number: int) -> None:
        """Adds events with consecutive ids, as from a poll."""
        self.view.add([event(first + place) for place in range(number)])

    def scroll_to(self, row: int) -> None:
        """Moves the scroll bar as the mouse does."""
        self.view.table.verticalScrollBar().setValue(row)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Presses a key in the table."""
        QTest.keyClick(self.view.table, key, modifier)

    def selected(self) -> list[int]:
        """The ids of the selected events."""
        rows = {index.row() for index in self.view.table.selectionModel().selectedRows()}
        return sorted(self.view.model.event_at(row).id for row in rows)


@pytest.fixture
def live(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> LiveWindow:
    """A live view in which events 0 to 99 have arrived."""
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(appearance, window)
    actions.offer(lambda _right: True)
    view = LiveView(appearance, settings, actions)
    layout = QVBoxLayout(window)
    layout.addWidget(view.strip)
    layout.addWidget(view)
    window.resize(900, 340)
    window.show()
    view.show_connection(ConnectionState("open"))
    live = LiveWindow(window, view, actions)
    live.add(0, 100)
    qtbot.waitUntil(lambda: view.table.visible_rows()[1] == 99)
    return live


@pytest.fixture
def service() -> ModelService:
    """A service that is not served yet."""
    return ModelService()


@pytest.fixture
def follow(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Follow:
    """Returns a context manager with a live view that follows a service, which it serves."""
    return lambda service: following(service, qtbot, appearance, settings)
