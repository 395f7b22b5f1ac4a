"""Tests of full feeds: the position stays while the oldest rows are removed."""

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.feed_table import FeedTable
from tests.desktop.ui.live.conftest import LiveWindow


def _bound(feed: FeedPane, capacity: int = 100, step: int = 20) -> None:
    feed.model.feed.capacity, feed.model.feed._step = capacity, step


def _click(table: FeedTable, row: int) -> None:
    place: QRect = table.visualRect(table.model().index(row, 1))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place.center())


def _newest(feed: FeedPane) -> Callable[[], int]:
    return lambda: feed.model.event_at(feed.model.rowCount() - 1).id


def _is_in_sight(table: FeedTable, row: int) -> bool:
    return table.visible_rows()[1] == row


def _burst(qtbot: QtBot, live: LiveWindow, first: int, number: int, by: int = 30) -> None:
    for start in range(first, first + number, by):
        live.add(start, min(by, first + number - start))
    read_newest = [_newest(feed) for feed in live.view.panes]
    qtbot.waitUntil(lambda: all(one() == first + number - 1 for one in read_newest))


def test_a_full_feed_follows_when_the_current_row_is_removed(qtbot: QtBot, live: LiveWindow) -> None:
    """Its selection is removed with it."""
    feed, table = live.view.current, live.view.table
    _bound(feed)
    _click(table, 95)
    assert live.selected() == [95]
    assert table.is_following
    changes: list[bool] = []
    table.following_changed.connect(changes.append)
    for start in range(100, 400, 50):
        _burst(qtbot, live, start, 50)
        assert table.visible_rows()[1] == live.view.model.rowCount() - 1
    assert changes == []
    assert table.is_following
    assert not live.banner.isVisible()
    assert live.selected() == []
    assert not table.currentIndex().isValid()


def test_a_selection_stays_while_others_are_removed(qtbot: QtBot, live: LiveWindow) -> None:
    _bound(live.view.current)
    _click(live.view.table, 95)
    _burst(qtbot, live, 100, 60)
    assert live.selected() == [95]
    assert live.view.model.event_at(live.view.table.currentIndex().row()).id == 95


@pytest.mark.parametrize("top", [60, 85])
@pytest.mark.parametrize("current", [None, 2, 90])
def test_a_paused_feed_shows_the_same_rows_while_the_oldest_are_removed(
    qtbot: QtBot, live: LiveWindow, top: int, current: int | None
) -> None:
    """With or without a current row, in the middle or near the end, in several steps."""
    table = live.view.table
    _bound(live.view.current)
    if current is not None:
        live.scroll_to(max(0, current - 2))
        _click(table, current)
    live.scroll_to(top)
    assert not table.is_following
    shown = live.top
    for start in range(100, 140, 20):
        _burst(qtbot, live, start, 20)
        assert live.top == shown
        assert table.unseen == start - 80
    assert not table.is_following
    assert live.banner.isVisible()


def test_a_paused_feed_shows_the_oldest_when_visible_rows_are_removed(qtbot: QtBot, live: LiveWindow) -> None:
    _bound(live.view.current)
    _click(live.view.table, 95)
    live.scroll_to(60)
    _burst(qtbot, live, 100, 200)
    assert not live.view.table.is_following
    assert live.view.table.verticalScrollBar().value() == 0
    assert live.top == live.ids[0] > 95


def test_a_paused_feed_shows_the_oldest_after_a_burst_that_replaces_all_rows(
    qtbot: QtBot, live: LiveWindow
) -> None:
    _bound(live.view.current)
    live.scroll_to(60)
    _burst(qtbot, live, 100, 170, by=170)
    assert not live.view.table.is_following
    assert live.view.table.verticalScrollBar().value() == 0


def test_full_feeds_have_independent_positions(qtbot: QtBot, live: LiveWindow) -> None:
    first = live.view.current
    live.actions["live_new"].trigger()
    second = live.view.current
    qtbot.waitUntil(lambda: second.model.rowCount() == 100)
    for feed in (first, second):
        _bound(feed)
        qtbot.waitUntil(partial(_is_in_sight, feed.table, 99))
        _click(feed.table, 97)
    second.table.verticalScrollBar().setValue(70)
    shown = second.model.event_at(70).id
    _burst(qtbot, live, 100, 40)
    bar = second.table.verticalScrollBar()
    assert second.model.event_at(bar.value()).id == shown
    _burst(qtbot, live, 140, 200)
    assert first.table.is_following
    qtbot.waitUntil(lambda: first.table.visible_rows()[1] == first.model.rowCount() - 1)
    assert not second.table.is_following


def test_a_smaller_capacity_keeps_the_position(qtbot: QtBot, live: LiveWindow) -> None:
    """With a current row among the removed ones."""
    _bound(live.view.current, 1000, 5)
    _click(live.view.table, 95)
    live.view.current.set_capacity(40)
    qtbot.waitUntil(lambda: live.view.model.rowCount() <= 40)
    assert live.view.table.is_following
    assert live.selected() == [95]
    _burst(qtbot, live, 100, 90)
    assert live.view.table.is_following
    assert live.ids[-1] == 189
