"""Tests of several feeds side by side."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import with_only_type
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.widgets.event_table.columns import fit_widths
from tests.desktop.ui.live.conftest import LiveWindow


def _ids(feed: FeedPane) -> list[int]:
    return [feed.model.event_at(row).id for row in range(feed.model.rowCount())]


def _beside(qtbot: QtBot, live: LiveWindow) -> tuple[FeedPane, FeedPane]:
    first = live.view.current
    live.actions["live_new"].trigger()
    second = live.view.current
    assert second is not first
    qtbot.waitUntil(lambda: second.model.rowCount() == 100)
    return first, second


def test_another_feed_has_the_same_events(qtbot: QtBot, live: LiveWindow) -> None:
    """Through its own filter."""
    first, second = _beside(qtbot, live)
    live.view.set_filter(with_only_type(Query(), "USER_LOGIN"))
    live.add(100, 70)
    qtbot.waitUntil(lambda: first.model.rowCount() == 170 and second.model.rowCount() == 24)
    assert _ids(first) == list(range(170))
    assert {second.model.event_at(row).type for row in range(24)} == {"USER_LOGIN"}
    assert first.header.isVisible()
    assert live.view.strip.counts.text() == ""


def test_each_has_its_own_position(qtbot: QtBot, live: LiveWindow) -> None:
    """Actions apply to the current one."""
    first, second = _beside(qtbot, live)
    live.actions["pause"].trigger()
    assert (first.table.is_following, second.table.is_following) == (True, False)
    QTest.mouseClick(first.table.viewport(), Qt.MouseButton.LeftButton)
    first.table.setFocus()
    qtbot.waitUntil(lambda: live.view.current is first)
    assert not live.actions["pause"].isChecked()
    assert not second.table.is_following
    live.add(100, 20)
    qtbot.waitUntil(lambda: second.table.unseen == 20)
    qtbot.waitUntil(lambda: first.table.visible_rows()[1] == 119)


def test_a_notifying_feed_has_a_bell(live: LiveWindow) -> None:
    """In the strip, or in its header if there are several; a click mutes it."""
    strip, notify = live.view.strip, live.actions["live_notify"]
    assert strip.bell.isHidden()
    notify.trigger()
    assert not strip.bell.isHidden()
    live.actions["live_new"].trigger()
    left, right = live.view.panes
    assert strip.bell.isHidden()
    assert (left.header.bell.isVisible(), right.header.bell.isVisible()) == (True, False)
    left.header.bell.click()
    assert not left.notifications.is_on
    assert not left.header.bell.isVisible()
    live.actions["live_close"].trigger()
    notify.trigger()
    strip.bell.click()
    assert not live.view.current.notifications.is_on


def test_closing_leaves_the_others(qtbot: QtBot, live: LiveWindow) -> None:
    """The last one stays; there is room for four."""
    first, _second = _beside(qtbot, live)
    for _ in range(5):
        live.actions["live_new"].trigger()
    assert len(live.view.panes) == 4
    assert not live.actions["live_new"].isEnabled()
    for _ in range(5):
        live.actions["live_close"].trigger()
    assert live.view.panes == [first]
    assert not live.actions["live_close"].isEnabled()
    assert not first.header.isVisible()
    assert live.view.strip.counts.text() == "100 events"


def test_removed_events_are_emitted_once(qtbot: QtBot, live: LiveWindow) -> None:
    """However many feeds there are."""
    gone: list[int] = []
    live.view.removing.connect(lambda oldest: gone.extend(event.id for event in oldest()))
    for feed in _beside(qtbot, live):
        feed.model.feed.capacity, feed.model.feed._step = 100, 10
    live.add(100, 20)
    qtbot.waitUntil(lambda: all(feed.model.event_at(99).id == 119 for feed in live.view.panes))
    assert gone == list(range(20))


def test_three_feeds_show_all_columns_without_a_scroll_bar(qtbot: QtBot, live: LiveWindow) -> None:
    """Columns become narrower, and get back the user's widths."""
    live.window.resize(1318, 340)
    header = live.view.table.horizontalHeader()
    header.resizeSection(2, 230)
    live.actions["live_new"].trigger()
    live.actions["live_new"].trigger()
    for feed in live.view.panes:
        qtbot.waitUntil(lambda: not feed.table.horizontalScrollBar().isVisible())  # noqa: B023
        ends = [feed.table.columnViewportPosition(place) for place in range(5)]
        assert ends == sorted(ends)
        assert ends[-1] + 60 < feed.table.viewport().width()
        assert feed.table.isColumnHidden(5)  # the summary has no room
    live.actions["live_close"].trigger()
    live.actions["live_close"].trigger()
    qtbot.waitUntil(lambda: header.sectionSize(2) == 230)
    assert not live.view.table.isColumnHidden(5)
    live.window.resize(300, 340)
    qtbot.waitUntil(lambda: live.view.table.isColumnHidden(4))
    assert header.sectionSize(1) > live.view.table.fontMetrics().horizontalAdvance("00:00:00")


def test_columns_share_the_width() -> None:
    """The first one gives up all but its mark before the others are cut."""
    wanted, least = [80, 100, 100], [60, 50, 50]
    assert fit_widths(280, wanted, least, 20) == [80, 100, 100]
    assert fit_widths(220, wanted, least, 20) == [70, 75, 75]
    assert fit_widths(140, wanted, least, 20) == [20, 60, 60]
    assert fit_widths(60, wanted, least, 20) == [10, 25, 25]
