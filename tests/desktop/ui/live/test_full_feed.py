"""Tests of feeds that are full: the oldest rows leave, the place and what it means stay."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.feed_table import FeedTable
from tests.desktop.ui.live.conftest import Pane


def _bound(feed: FeedPane, capacity: int = 100, step: int = 20) -> None:
    feed.model.feed.capacity, feed.model.feed._step = capacity, step


def _click(table: FeedTable, row: int) -> None:
    place: QRect = table.visualRect(table.model().index(row, 1))
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place.center())


def _newest(feed: FeedPane) -> Callable[[], int]:
    return lambda: feed.model.event_at(feed.model.rowCount() - 1).id


def _is_in_sight(table: FeedTable, row: int) -> bool:
    return table.visible_rows()[1] == row


def _burst(qtbot: QtBot, pane: Pane, first: int, number: int, by: int = 30) -> None:
    for start in range(first, first + number, by):
        pane.add(start, min(by, first + number - start))
    read_newest = [_newest(feed) for feed in pane.view.panes]
    qtbot.waitUntil(lambda: all(one() == first + number - 1 for one in read_newest))


def test_a_full_feed_follows_when_the_current_row_leaves(qtbot: QtBot, pane: Pane) -> None:
    """One row was clicked once: its selection goes with it, and the feed stays with its end."""
    feed, table = pane.view.current, pane.view.table
    _bound(feed)
    _click(table, 95)
    assert pane.selected() == [95]
    assert table.is_following
    changes: list[bool] = []
    table.following_changed.connect(changes.append)
    for start in range(100, 400, 50):
        _burst(qtbot, pane, start, 50)
        assert table.visible_rows()[1] == pane.view.model.rowCount() - 1
    assert changes == []
    assert table.is_following
    assert not pane.banner.isVisible()
    assert pane.selected() == []
    assert not table.currentIndex().isValid()


def test_a_row_that_stays_is_selected_while_others_leave(qtbot: QtBot, pane: Pane) -> None:
    """Selection and current row are those of the event."""
    _bound(pane.view.current)
    _click(pane.view.table, 95)
    _burst(qtbot, pane, 100, 60)
    assert pane.selected() == [95]
    assert pane.view.model.event_at(pane.view.table.currentIndex().row()).id == 95


@pytest.mark.parametrize("top", [60, 85])
@pytest.mark.parametrize("current", [None, 2, 90])
def test_who_stands_still_sees_the_same_rows_while_the_oldest_leave(
    qtbot: QtBot, pane: Pane, top: int, current: int | None
) -> None:
    """Whether the current row leaves or not, in the midst or close to the end, in several steps."""
    table = pane.view.table
    _bound(pane.view.current)
    if current is not None:
        pane.scroll_to(max(0, current - 2))
        _click(table, current)
    pane.scroll_to(top)
    assert not table.is_following
    shown = pane.top
    for start in range(100, 140, 20):
        _burst(qtbot, pane, start, 20)
        assert pane.top == shown
        assert table.unseen == start - 80
    assert not table.is_following
    assert pane.banner.isVisible()


def test_rows_in_sight_that_leave_lead_to_the_oldest(qtbot: QtBot, pane: Pane) -> None:
    """And the feed still stands still."""
    _bound(pane.view.current)
    _click(pane.view.table, 95)
    pane.scroll_to(60)
    _burst(qtbot, pane, 100, 200)
    assert not pane.view.table.is_following
    assert pane.view.table.verticalScrollBar().value() == 0
    assert pane.top == pane.ids[0] > 95


def test_each_of_several_full_feeds_keeps_to_its_own(qtbot: QtBot, pane: Pane) -> None:
    """One follows with a current row, the other stands still with one."""
    first = pane.view.current
    pane.actions["live_new"].trigger()
    second = pane.view.current
    qtbot.waitUntil(lambda: second.model.rowCount() == 100)
    for feed in (first, second):
        _bound(feed)
        qtbot.waitUntil(partial(_is_in_sight, feed.table, 99))
        _click(feed.table, 97)
    second.table.verticalScrollBar().setValue(70)
    shown = second.model.event_at(70).id
    _burst(qtbot, pane, 100, 40)
    bar = second.table.verticalScrollBar()
    assert second.model.event_at(bar.value()).id == shown
    _burst(qtbot, pane, 140, 200)
    assert first.table.is_following
    qtbot.waitUntil(lambda: first.table.visible_rows()[1] == first.model.rowCount() - 1)
    assert not second.table.is_following


def test_a_smaller_feed_lets_rows_go_without_moving_the_rest(qtbot: QtBot, pane: Pane) -> None:
    """ "Each feed keeps" fewer from now on, with a current row among those that leave."""
    _bound(pane.view.current, 1000, 5)
    _click(pane.view.table, 95)
    pane.view.current.set_capacity(40)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() <= 40)
    assert pane.view.table.is_following
    assert pane.selected() == [95]
    _burst(qtbot, pane, 100, 90)
    assert pane.view.table.is_following
    assert pane.ids[-1] == 189
