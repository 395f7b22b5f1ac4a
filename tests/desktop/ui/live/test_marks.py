"""Tests of color marks, which have the same rules as in the event browser."""

from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import TONES, save_marks
from tests.desktop.ui.live.conftest import LiveWindow
from tests.desktop.ui.widgets.builders import event

LOGINS = Query(types=("USER_LOGIN",))


def _edge_tones(live: LiveWindow, feed: FeedPane) -> list[str]:
    """The tones in which the visible rows begin, empty for none."""
    tokens = live.view.strip._appearance.tokens
    colours = {tone: QColor(getattr(tokens, tone)) for tone in TONES}
    table = feed.table
    picture = table.viewport().grab().toImage()
    places = [table.rowViewportPosition(row) + table.rowHeight(row) // 2 for row in _visible_rows(feed)]
    seen = [picture.pixelColor(1, place) for place in places]
    return [next((tone for tone in TONES if _are_near(one, colours[tone])), "") for one in seen]


def _are_near(one: QColor, other: QColor) -> bool:
    parts = (one.red() - other.red(), one.green() - other.green(), one.blue() - other.blue())
    return all(abs(part) <= 2 for part in parts)


def _visible_rows(feed: FeedPane) -> range:
    """The rows that are completely visible."""
    first, last = feed.table.visible_rows()
    return range(first + 1, last)


def _wanted(live: LiveWindow, feed: FeedPane, rules: dict[str, Query]) -> list[str]:
    types = [feed.model.event_at(row).type for row in _visible_rows(feed)]
    return [
        next((tone for tone in TONES if tone in rules and kind in rules[tone].types), "") for kind in types
    ]


def test_rules_mark_the_rows_of_every_feed_at_once(qtbot: QtBot, live: LiveWindow) -> None:
    """Those in the feed, those to come, and those of a feed that is opened later."""
    live.window.resize(900, 600)
    qtbot.waitUntil(lambda: len(_edge_tones(live, live.view.current)) > 7)
    assert set(_edge_tones(live, live.view.current)) == {""}
    rules = {"danger": Query(types=("OBJECT_DELETE",)), "good": LOGINS}
    live.view.highlight(rules)
    assert set(_edge_tones(live, live.view.current)) == {"", "danger", "good"}
    live.actions["live_new"].trigger()
    live.add(100, 7)
    qtbot.waitUntil(lambda: all(feed.model.rowCount() == 107 for feed in live.view.panes))
    qtbot.waitUntil(lambda: all(feed.table.visible_rows()[1] == 106 for feed in live.view.panes))
    for feed in live.view.panes:
        assert _edge_tones(live, feed) == _wanted(live, feed, rules)
    live.view.highlight({})
    assert set(_edge_tones(live, live.view.current)) == {""}


def test_the_rules_of_the_browser_apply_from_the_start(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """They are in the same settings."""
    save_marks(settings, {"warning": LOGINS})
    view = LiveView(appearance, settings, Actions(appearance))
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    assert [view.model.mark_of(event(number)) for number in (2, 3)] == [None, TONES.index("warning")]


def test_marks_of_another_log_are_new(live: LiveWindow) -> None:
    """The same id means another event there."""
    live.view.highlight({"good": LOGINS})
    assert live.view.model.mark_of(event(3)) == TONES.index("good")
    live.view.forget_ids()
    other = event(4)
    assert live.view.model.mark_of(type(other)(id=3, type=other.type)) is None
