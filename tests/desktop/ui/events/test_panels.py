"""Tests of the panels below the rows: what room they take, and from whom."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def test_panels_leave_the_rows_their_room(browse: Browse, actions: Actions) -> None:
    """Both at once do not make the window grow; five rows stay, the current one among them."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.table.go_to(12)
        before = view.window().size()
        view.panels.open_search()
        actions["requests"].setChecked(True)
        await until(lambda: view.panels.requests.height() > 0 and view.table.viewport().height() < 200)
        assert view.window().size() == before
        assert view.table.viewport().height() >= 5 * view.table.rowHeight(0)
        first, last = view.table.visible_rows()
        assert first <= 12 <= last


def test_a_low_window_stays_low(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions
) -> None:
    """All that can stand around the rows asks for less than the half of a small screen."""
    view = EventsView(appearance, settings, actions)
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(view)
    view.model.show_waiting(60)
    with qtbot.waitExposed(window):
        window.show()
    window.resize(1000, 420)
    for name in ("overview", "facets", "requests", "inspector"):
        actions[name].setChecked(True)
    view.panels.open_search()
    qtbot.wait(50)
    assert window.height() == 420
    assert view.minimumSizeHint().height() < 768 // 2


@pytest.mark.parametrize(("height", "least"), [(900, 0.38), (480, 0.5)])
def test_the_search_opens_with_room_for_hits(
    again: Callable[[], EventsView], qtbot: QtBot, height: int, least: float
) -> None:
    """About two fifths of the height; in a low window more, and three rows stay above it."""
    view = again()
    view.resize(1100, height)
    qtbot.wait(20)
    view.panels.open_search()
    qtbot.wait(20)
    panels = view.panels._down
    assert view.panels.search.height() >= least * panels.height()
    assert view.table.viewport().height() >= 3 * view.panels._appearance.row


def test_sizes_of_panels_are_kept(again: Callable[[], EventsView], qtbot: QtBot) -> None:
    """Whoever has made the search higher finds it so the next time."""
    first = again()
    first.resize(1000, 700)
    first.panels.open_search()
    handle = first.panels._down.handle(1)
    qtbot.wait(20)
    middle = handle.rect().center()
    before = first.panels.search.height()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle.__class__(middle.x(), middle.y() - 80))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    higher = first.panels.search.height()
    assert higher > before
    second = again()
    second.resize(1000, 700)
    second.panels.open_search()
    qtbot.wait(20)
    assert second.panels.search.height() == pytest.approx(higher, abs=10)


def test_the_width_of_the_values_is_kept(
    again: Callable[[], EventsView], qtbot: QtBot, actions: Actions
) -> None:
    """Wide enough for their names at first; whoever has drawn the edge finds it so the next time."""
    first = again()
    first.resize(1300, 700)
    actions["facets"].setChecked(True)
    qtbot.wait(20)
    facets, handle = first.panels.facets, first.panels._across.handle(1)
    assert facets.width() == pytest.approx(facets.sizeHint().width(), abs=4)
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle.__class__(middle.x() + 90, middle.y()))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    wider = facets.width()
    assert wider > facets.sizeHint().width() + 50
    first.resize(1200, 700)
    second = again()
    second.resize(1300, 700)
    qtbot.wait(20)
    assert second.panels.facets.width() == pytest.approx(wider, abs=20)
