"""Tests of the live feed's view: it follows its end, and stands still when somebody looks elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import FeedFilter
from tests.desktop.ui.live.conftest import Pane


def test_the_feed_follows_its_end(qtbot: QtBot, pane: Pane) -> None:
    """Who looks at the newest event sees the next one, also in a window of another size."""
    pane.add(100, 1)
    qtbot.waitUntil(lambda: pane.view.table.visible_rows()[1] == 100)
    pane.window.resize(900, 240)
    qtbot.waitUntil(lambda: pane.view.table.visible_rows()[1] == 100)
    assert not pane.banner.isVisible()


def test_events_are_gathered_into_few_changes(qtbot: QtBot, pane: Pane) -> None:
    """A flood is a change of rows every 50 ms, not thousands; each event comes once."""
    changes: list[int] = []
    pane.view.model.rowsInserted.connect(lambda _parent, _first, last: changes.append(last))
    for number in range(100, 600):
        pane.add(number, 1)
        pane.add(number, 1)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 600)
    assert len(changes) <= 3
    assert pane.ids == list(range(600))


def test_who_scrolls_away_keeps_place_and_selection_while_a_thousand_arrive(qtbot: QtBot, pane: Pane) -> None:
    """Nothing moves under the eyes; a loud bar tells how much is new and leads back to the end."""
    pane.scroll_to(10)
    pane.view.table.selectRow(12)
    for first in range(100, 1100, 50):
        pane.add(first, 50)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 1100)
    assert (pane.top, pane.selected(), pane.view.is_following) == (10, [12], False)
    assert pane.banner.isVisible()
    count = QLocale().toString(1000)
    assert pane.banner.text() == f"+{count} new · End to follow"
    assert pane.view.strip.status.startswith(f"Paused, {count} new")
    pane.banner.click()
    assert pane.view.table.visible_rows()[1] == 1099
    assert pane.view.is_following
    assert pane.selected() == [12]
    assert not pane.banner.isVisible()


def test_keys_leave_the_end_and_lead_back_to_it(pane: Pane) -> None:
    """PgUp and Home leave it; End, Escape and scrolling to the end follow again."""
    for leave in (Qt.Key.Key_PageUp, Qt.Key.Key_Home):
        for back in (Qt.Key.Key_End, Qt.Key.Key_Escape):
            pane.view.table.selectRow(99)
            pane.press(leave)
            assert not pane.view.is_following
            pane.press(back)
            assert pane.view.is_following
    pane.scroll_to(3)
    pane.scroll_to(pane.view.table.verticalScrollBar().maximum())
    assert pane.view.is_following


def test_the_pause_action_holds_the_feed_and_shows_that_it_stands(qtbot: QtBot, pane: Pane) -> None:
    """It is pressed by scrolling too, and released by whatever follows again."""
    pause = pane.actions["pause"]
    pause.trigger()
    top = pane.top
    assert pane.banner.text() == "Paused, nothing new yet · End to follow"
    pane.add(100, 20)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 120)
    assert pane.top == top
    pause.trigger()
    assert pane.view.table.visible_rows()[1] == 119
    pane.scroll_to(5)
    assert pause.isChecked()
    pane.press(Qt.Key.Key_End)
    assert not pause.isChecked()


def test_a_choice_takes_effect_on_what_is_there_and_what_comes(qtbot: QtBot, pane: Pane) -> None:
    """Place and selection stay with the events that are shown; the chip and the counts tell."""
    pane.scroll_to(10)
    pane.view.table.selectRow(17)
    pane.view.set_filter(FeedFilter().only("USER_LOGIN"))
    assert pane.ids == list(range(3, 100, 7))
    assert (pane.top, pane.selected()) == (10, [17])
    assert pane.view.strip.counts == "14 of 100 shown"
    assert pane.view.strip.chip.text == "USER_LOGIN"
    pane.add(100, 70)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 24)
    assert pane.banner.text() == "+10 new · End to follow"
    pane.view.strip.chip.removed.emit()
    assert (pane.top, pane.selected(), pane.view.strip.counts) == (10, [17], "170 events")
    assert pane.banner.text() == "+70 new · End to follow"


def test_a_choice_of_nothing_says_so_and_leads_back(qtbot: QtBot, pane: Pane) -> None:
    """An empty table would look like a quiet service."""
    pane.view.set_filter(FeedFilter().only("MOON_LANDING"))
    assert pane.picture.isVisible()
    assert pane.picture.step == "Show all events"
    pane.picture.step_requested.emit()
    assert pane.view.table.isVisible()
    assert pane.view.table.visible_rows()[1] == 99


def test_clearing_keeps_what_comes_and_can_be_taken_back(qtbot: QtBot, pane: Pane) -> None:
    """A slip costs nothing."""
    pane.actions["live_clear"].trigger()
    assert pane.picture.step == "Show them again (100)"
    pane.picture.step_requested.emit()
    assert pane.ids == list(range(100))
    pane.actions["live_clear"].trigger()
    pane.add(100, 3)
    qtbot.waitUntil(lambda: pane.ids == [100, 101, 102])
    assert pane.view.table.isVisible()


def test_the_oldest_leave_without_moving_what_is_in_sight(qtbot: QtBot, pane: Pane) -> None:
    """The feed is bounded, and tells when it lets events go."""
    feed = pane.view.model.feed
    feed.capacity, feed._step = 120, 10
    pane.scroll_to(60)
    pane.view.table.selectRow(61)
    pane.add(100, 50)
    qtbot.waitUntil(lambda: pane.ids[-1] == 149)
    assert feed.removed == 30
    assert (pane.top, pane.selected()) == (60, [61])
    assert pane.view.notices.isVisible()
    assert pane.view.strip.counts.startswith("newest ")
