"""Tests of the rules of colour in a feed: the same as the event browser's, changed while it runs."""

from __future__ import annotations

from PySide6.QtCore import QSettings
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.feed_pane import FeedPane
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.marks import TONES, save_marks
from tests.desktop.ui.live.conftest import Pane
from tests.desktop.ui.widgets.builders import event


def _edges(pane: Pane, feed: FeedPane) -> list[str]:
    """The tokens in whose colours the rows in sight begin, empty for none, by row."""
    tokens = pane.view.strip._appearance.tokens
    colours = {tone: QColor(getattr(tokens, tone)) for tone in TONES}
    table = feed.table
    picture = table.viewport().grab().toImage()
    places = [table.rowViewportPosition(row) + table.rowHeight(row) // 2 for row in _whole(feed)]
    seen = [picture.pixelColor(1, place) for place in places]
    return [next((tone for tone in TONES if _are_near(one, colours[tone])), "") for one in seen]


def _are_near(one: QColor, other: QColor) -> bool:
    parts = (one.red() - other.red(), one.green() - other.green(), one.blue() - other.blue())
    return all(abs(part) <= 2 for part in parts)


def _whole(feed: FeedPane) -> range:
    """The rows that are wholly in sight."""
    first, last = feed.table.visible_rows()
    return range(first + 1, last)


def _wanted(pane: Pane, feed: FeedPane, rules: dict[str, str]) -> list[str]:
    types = [feed.model.event_at(row).type for row in _whole(feed)]
    return [next((tone for tone in TONES if rules.get(tone) == kind), "") for kind in types]


def test_rules_colour_the_rows_of_every_feed_at_once(qtbot: QtBot, pane: Pane) -> None:
    """Those that are here, those that come, and those of a feed that is opened later."""
    pane.window.resize(900, 600)
    qtbot.waitUntil(lambda: len(_edges(pane, pane.view.current)) > 7)
    assert set(_edges(pane, pane.view.current)) == {""}
    rules = {"danger": "OBJECT_DELETE", "good": "USER_LOGIN"}
    pane.view.highlight(rules)
    assert set(_edges(pane, pane.view.current)) == {"", "danger", "good"}
    pane.actions["live_new"].trigger()
    pane.add(100, 7)
    qtbot.waitUntil(lambda: all(feed.model.rowCount() == 107 for feed in pane.view.panes))
    qtbot.waitUntil(lambda: all(feed.table.visible_rows()[1] == 106 for feed in pane.view.panes))
    for feed in pane.view.panes:
        assert _edges(pane, feed) == _wanted(pane, feed, rules)
    pane.view.highlight({})
    assert set(_edges(pane, pane.view.current)) == {""}


def test_the_rules_of_the_browser_are_in_force_from_the_start(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """They are the same settings."""
    save_marks(settings, {"warning": "USER_LOGIN"})
    view = LiveView(appearance, settings, Actions(appearance))
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    assert [view.model.mark_of(event(number)) for number in (2, 3)] == [None, TONES.index("warning")]


def test_another_log_is_looked_at_anew(pane: Pane) -> None:
    """An id that was marked means another event then."""
    pane.view.highlight({"good": "USER_LOGIN"})
    assert pane.view.model.mark_of(event(3)) == TONES.index("good")
    pane.view.forget_ids()
    other = event(4)
    assert pane.view.model.mark_of(type(other)(id=3, type=other.type)) is None
