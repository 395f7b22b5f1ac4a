"""Tests of several feeds side by side: each has its own choice and place, all hold the same events."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.widgets.event_table.columns import fit_widths
from tests.desktop.ui.live.conftest import Pane


def _ids(feed: FeedPane) -> list[int]:
    return [feed.model.event_at(row).id for row in range(feed.model.rowCount())]


def _beside(qtbot: QtBot, pane: Pane) -> tuple[FeedPane, FeedPane]:
    first = pane.view.current
    pane.actions["live_new"].trigger()
    second = pane.view.current
    assert second is not first
    qtbot.waitUntil(lambda: second.model.rowCount() == 100)
    return first, second


def test_another_feed_holds_the_same_events(qtbot: QtBot, pane: Pane) -> None:
    """Those that are here and those that come, each feed through its own choice."""
    first, second = _beside(qtbot, pane)
    pane.view.set_filter(FeedFilter().only("USER_LOGIN"))
    pane.add(100, 70)
    qtbot.waitUntil(lambda: first.model.rowCount() == 170 and second.model.rowCount() == 24)
    assert _ids(first) == list(range(170))
    assert {second.model.event_at(row).type for row in range(24)} == {"USER_LOGIN"}
    assert first.header.isVisible()
    assert pane.view.strip.counts == ""


def test_each_has_its_own_place(qtbot: QtBot, pane: Pane) -> None:
    """One stands still while the other follows; the actions mean the one that was gone to last."""
    first, second = _beside(qtbot, pane)
    pane.actions["pause"].trigger()
    assert (first.table.is_following, second.table.is_following) == (True, False)
    QTest.mouseClick(first.table.viewport(), Qt.MouseButton.LeftButton)
    first.table.setFocus()
    qtbot.waitUntil(lambda: pane.view.current is first)
    assert not pane.actions["pause"].isChecked()
    assert not second.table.is_following
    pane.add(100, 20)
    qtbot.waitUntil(lambda: second.table.unseen == 20)
    qtbot.waitUntil(lambda: first.table.visible_rows()[1] == 119)


def test_a_feed_that_tells_of_its_events_has_a_bell(pane: Pane) -> None:
    """In the strip, or where there are several in its own head; a click silences it."""
    strip, notify = pane.view.strip, pane.actions["live_notify"]
    assert strip.bell.isHidden()
    notify.trigger()
    assert not strip.bell.isHidden()
    pane.actions["live_new"].trigger()
    left, right = pane.view.panes
    assert strip.bell.isHidden()
    assert (left.header.bell.isVisible(), right.header.bell.isVisible()) == (True, False)
    left.header.bell.click()
    assert not left.notifications.is_on
    assert not left.header.bell.isVisible()
    pane.actions["live_close"].trigger()
    notify.trigger()
    strip.bell.click()
    assert not pane.view.current.notifications.is_on


def test_closing_leaves_the_others(qtbot: QtBot, pane: Pane) -> None:
    """The last one stays; beyond four there is no room."""
    first, _second = _beside(qtbot, pane)
    for _ in range(5):
        pane.actions["live_new"].trigger()
    assert len(pane.view.panes) == 4
    assert not pane.actions["live_new"].isEnabled()
    for _ in range(5):
        pane.actions["live_close"].trigger()
    assert pane.view.panes == [first]
    assert not pane.actions["live_close"].isEnabled()
    assert not first.header.isVisible()
    assert pane.view.strip.counts == "100 events"


def test_what_leaves_is_told_once_however_many_feeds_there_are(qtbot: QtBot, pane: Pane) -> None:
    """So that a file has each event once."""
    gone: list[int] = []
    pane.view.removing.connect(lambda oldest: gone.extend(event.id for event in oldest()))
    for feed in _beside(qtbot, pane):
        feed.model.feed.capacity, feed.model.feed._step = 100, 10
    pane.add(100, 20)
    qtbot.waitUntil(lambda: all(feed.model.event_at(99).id == 119 for feed in pane.view.panes))
    assert gone == list(range(20))


def test_three_abreast_show_who_and_what_without_a_scroll_bar(qtbot: QtBot, pane: Pane) -> None:
    """Columns give way as long as there is little room, and come back as the user had them."""
    pane.window.resize(1318, 340)
    header = pane.view.table.horizontalHeader()
    header.resizeSection(2, 230)
    pane.actions["live_new"].trigger()
    pane.actions["live_new"].trigger()
    for feed in pane.view.panes:
        qtbot.waitUntil(lambda: not feed.table.horizontalScrollBar().isVisible())  # noqa: B023
        ends = [feed.table.columnViewportPosition(place) for place in range(5)]
        assert ends == sorted(ends)
        assert ends[-1] + 60 < feed.table.viewport().width()
    pane.actions["live_close"].trigger()
    pane.actions["live_close"].trigger()
    qtbot.waitUntil(lambda: header.sectionSize(2) == 230)


def test_columns_are_as_wanted_or_share_what_there_is() -> None:
    """The first one gives up all but its sign before the others are cut below what they need."""
    wanted, least = [80, 100, 100], [60, 50, 50]
    assert fit_widths(280, wanted, least, 20) == [80, 100, 100]
    assert fit_widths(220, wanted, least, 20) == [70, 75, 75]
    assert fit_widths(140, wanted, least, 20) == [20, 60, 60]
    assert fit_widths(60, wanted, least, 20) == [10, 25, 25]
