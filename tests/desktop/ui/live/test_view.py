"""Tests of following the newest event, pausing, filtering and clearing."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import with_only_type
from cdb_desktop.queries.query import Query
from tests.desktop.ui.live.conftest import LiveWindow


def test_the_feed_follows_the_newest_event(qtbot: QtBot, live: LiveWindow) -> None:
    """Also after a change of size."""
    live.add(100, 1)
    qtbot.waitUntil(lambda: live.view.table.visible_rows()[1] == 100)
    live.window.resize(900, 240)
    qtbot.waitUntil(lambda: live.view.table.visible_rows()[1] == 100)
    assert not live.banner.isVisible()


def test_events_are_inserted_together(qtbot: QtBot, live: LiveWindow) -> None:
    """Every 50 ms; each event comes once."""
    changes: list[int] = []
    live.view.model.rowsInserted.connect(lambda _parent, _first, last: changes.append(last))
    for number in range(100, 600):
        live.add(number, 1)
        live.add(number, 1)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 600)
    assert len(changes) <= 3
    assert live.ids == list(range(600))


def test_scrolling_away_pauses_the_feed(qtbot: QtBot, live: LiveWindow) -> None:
    """Nothing moves while a thousand arrive; the banner counts them and leads to the end."""
    live.scroll_to(10)
    live.view.table.selectRow(12)
    for first in range(100, 1100, 50):
        live.add(first, 50)
        QApplication.processEvents()
        assert (live.top, live.selected()) == (10, [12])
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 1100)
    assert (live.top, live.selected(), live.view.is_following) == (10, [12], False)
    assert live.view.table.unseen == 1000
    assert live.banner.isVisible()
    count = QLocale().toString(1000)
    assert live.banner.text() == f"+{count} new · End to follow"
    assert live.view.strip.status.text().startswith(f"Paused, {count} new")
    live.banner.click()
    assert live.view.table.visible_rows()[1] == 1099
    assert live.view.is_following
    assert live.selected() == [12]
    assert not live.banner.isVisible()


def test_keys_pause_and_follow(live: LiveWindow) -> None:
    """PgUp and Home pause; End, Escape and scrolling to the end follow again."""
    for leave in (Qt.Key.Key_PageUp, Qt.Key.Key_Home):
        for back in (Qt.Key.Key_End, Qt.Key.Key_Escape):
            live.view.table.selectRow(99)
            live.press(leave)
            assert not live.view.is_following
            live.press(back)
            assert live.view.is_following
    live.scroll_to(3)
    live.scroll_to(live.view.table.verticalScrollBar().maximum())
    assert live.view.is_following


def test_the_pause_action_shows_whether_the_feed_is_paused(qtbot: QtBot, live: LiveWindow) -> None:
    """Also by scrolling."""
    pause = live.actions["pause"]
    pause.trigger()
    top = live.top
    assert live.banner.text() == "Paused, nothing new yet · End to follow"
    live.add(100, 20)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 120)
    assert live.top == top
    pause.trigger()
    assert live.view.table.visible_rows()[1] == 119
    live.scroll_to(5)
    assert pause.isChecked()
    live.press(Qt.Key.Key_End)
    assert not pause.isChecked()


def test_a_filter_applies_to_all_events(qtbot: QtBot, live: LiveWindow) -> None:
    """Position and selection stay with shown events; chip and counts follow."""
    live.scroll_to(10)
    live.view.table.selectRow(17)
    live.view.set_filter(with_only_type(Query(), "USER_LOGIN"))
    assert live.ids == list(range(3, 100, 7))
    assert (live.top, live.selected()) == (10, [17])
    assert live.view.strip.counts.text() == "14 of 100 shown"
    assert live.view.strip.chip.text == "USER_LOGIN"
    live.add(100, 70)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 24)
    assert live.banner.text() == "+10 new · End to follow"
    live.view.strip.chip.removed.emit()
    assert (live.top, live.selected(), live.view.strip.counts.text()) == (10, [17], "170 events")
    assert live.banner.text() == "+70 new · End to follow"


def test_a_filter_that_shows_nothing_can_be_removed(qtbot: QtBot, live: LiveWindow) -> None:
    live.view.set_filter(with_only_type(Query(), "MOON_LANDING"))
    assert live.empty_state.isVisible()
    assert live.empty_state.step == "Show all events"
    live.empty_state.step_requested.emit()
    assert live.view.table.isVisible()
    assert live.view.table.visible_rows()[1] == 99


def test_clearing_can_be_undone(qtbot: QtBot, live: LiveWindow) -> None:
    live.actions["live_clear"].trigger()
    assert live.empty_state.step == "Show them again (100)"
    live.empty_state.step_requested.emit()
    assert live.ids == list(range(100))
    live.actions["live_clear"].trigger()
    live.add(100, 3)
    qtbot.waitUntil(lambda: live.ids == [100, 101, 102])
    assert live.view.table.isVisible()


def test_removing_the_oldest_keeps_the_position(qtbot: QtBot, live: LiveWindow) -> None:
    """With a notice."""
    feed = live.view.model.feed
    feed.capacity, feed._step = 120, 10
    live.scroll_to(60)
    live.view.table.selectRow(61)
    live.add(100, 50)
    qtbot.waitUntil(lambda: live.ids[-1] == 149)
    assert feed.removed == 30
    assert (live.top, live.selected()) == (60, [61])
    assert live.view.notices.isVisible()
    assert live.view.strip.counts.text().startswith("newest ")
