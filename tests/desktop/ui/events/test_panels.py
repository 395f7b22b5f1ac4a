"""Tests of the sizes of the panels below the rows."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView, PanelsButton
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse


async def test_panels_leave_space_for_the_rows(browse: Browse, actions: Actions) -> None:
    """An open panel does not enlarge the window; five rows including the current one stay visible."""
    async with browse() as (view, _controller):
        view.table.go_to(12)
        before = view.window().size()
        actions["requests"].setChecked(True)
        await until(lambda: view.panels.requests.height() > 0)
        assert view.window().size() == before
        assert view.table.viewport().height() >= 5 * view.table.rowHeight(0)
        first, last = view.table.visible_rows()
        assert first <= 12 <= last


async def test_the_button_shows_and_hides_the_facets(browse: Browse, actions: Actions) -> None:
    """As its action does; the button follows the action."""
    async with browse() as (view, _controller):
        (button,) = view.findChildren(PanelsButton)
        place = QPoint(10, button.height() // 2)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=place)
        assert (view.panels.facets.isVisible(), actions["facets"].isChecked()) == (True, True)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=place)
        assert (view.panels.facets.isVisible(), button.isChecked()) == (False, False)
        actions["facets"].setChecked(True)
        assert button.isChecked()


def test_a_low_window_stays_low(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions
) -> None:
    """All panels together have a minimum height of less than half of a small screen."""
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
    qtbot.wait(50)
    assert window.height() == 420
    assert view.minimumSizeHint().height() < 768 // 2


def test_sizes_of_panels_are_remembered(
    again: Callable[[], EventsView], qtbot: QtBot, actions: Actions
) -> None:
    """The height set by the user is restored."""
    first = again()
    first.resize(1000, 700)
    actions["requests"].setChecked(True)
    handle = first.panels._down.handle(1)
    qtbot.wait(20)
    middle = handle.rect().center()
    before = first.panels.requests.height()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle.__class__(middle.x(), middle.y() - 80))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    higher = first.panels.requests.height()
    assert higher > before
    second = again()
    second.resize(1000, 700)
    qtbot.wait(20)
    assert second.panels.requests.height() == pytest.approx(higher, abs=10)


def test_the_width_of_the_facet_panel_is_remembered(
    again: Callable[[], EventsView], qtbot: QtBot, actions: Actions
) -> None:
    """Initially names fit; the width set by the user is restored."""
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
