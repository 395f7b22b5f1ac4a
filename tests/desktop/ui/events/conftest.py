"""Fixtures for the tests of the event browser."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.result_loader import LOAD
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import open_menu

Browse = Callable[..., AbstractAsyncContextManager[tuple[EventsView, EventsController]]]
OpenBrowser = Browse
NAMES = ("filter", "clear_filters", "query_back", "query_forward", "jump", "inspector", "export", "refresh")


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """All actions, on the events page with every right."""
    made = Actions(appearance)
    made.offer(lambda _right: True)
    made.show_page("events")
    return made


@pytest.fixture
def open_browser(qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions) -> OpenBrowser:
    """Returns a context manager that yields the visible browser of a client; it has not loaded anything."""

    @asynccontextmanager
    async def opening(
        client: Client, profile_key: ProfileKey | None = None
    ) -> AsyncIterator[tuple[EventsView, EventsController]]:
        window = QMainWindow()
        qtbot.addWidget(window)
        view = EventsView(appearance, settings, actions)
        window.setCentralWidget(view)
        window.addActions([actions[name] for name in NAMES])
        window.resize(1100, 600)
        window.show()
        window.activateWindow()
        view.table.setFocus()
        await until(window.isActiveWindow)
        async with Tasks(raise_error) as tasks:
            key = profile_key or ProfileKey(client.address)
            yield view, EventsController(view, client, tasks, key, LinkOrigin("Museum"))

    return opening


@pytest.fixture
def browse(open_browser: OpenBrowser, sign_in: SignIn) -> Browse:
    """Returns a context manager that yields the visible browser of a user, with the rows if there are any."""

    @asynccontextmanager
    async def browsing(*user: str) -> AsyncIterator[tuple[EventsView, EventsController]]:
        async with sign_in(*user) as client:
            key = ProfileKey(client.address, *user[:1])
            async with open_browser(client, key) as (view, controller):
                controller.load()
                await until(lambda: not controller._tasks.is_running(LOAD))
                yield view, controller

    return browsing


@pytest.fixture
def again(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions
) -> Callable[[], EventsView]:
    """Returns a function that makes a visible browser without a connection."""

    def make() -> EventsView:
        view = EventsView(appearance, settings, actions)
        qtbot.addWidget(view)
        with qtbot.waitActive(view):
            view.show()
            view.activateWindow()
        view.table.setFocus()
        return view

    return make


@pytest.fixture
def view(again: Callable[[], EventsView]) -> EventsView:
    """The first such browser."""
    return again()


def active_popup() -> QWidget:
    """Returns the open popup."""
    found = QApplication.activePopupWidget()
    assert found is not None
    return found


def export_controller(view: EventsView) -> ExportController:
    """Returns the export controller of a view."""
    return child_of(view, ExportController)


def bars(view: EventsView) -> list[ActionNotice]:
    """Returns the notices of interrupted work."""
    return [bar for bar in view.interrupted.findChildren(ActionNotice) if not bar.isHidden()]


def row_menu(view: EventsView) -> QMenu:
    """Opens the context menu of the first row by a right click, which selects nothing."""
    place = QPoint(30, view.table.rowViewportPosition(0) + 4)
    pressed = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, view.table.viewport().mapToGlobal(place)
    )
    QApplication.sendEvent(view.table.viewport(), pressed)
    return open_menu()


def enter(view: EventsView, text: str) -> None:
    """Types a text into the line and presses Return; completions that are offered are not taken."""
    view.query_line.setFocus()
    QTest.keyClicks(view.query_line, text)
    QTest.keyClick(view.query_line, Qt.Key.Key_Return)


def ended(view: EventsView) -> bool:
    """Whether a search has ended, with all its rows."""
    result = view.model.result
    return isinstance(result, MatchedResult) and result.is_complete


def has_ended(view: EventsView) -> bool:
    """Whether a search has ended or was interrupted."""
    result = view.model.result
    return isinstance(result, MatchedResult) and result.total is not None
