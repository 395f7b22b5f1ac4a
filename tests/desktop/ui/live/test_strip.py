"""Tests of a narrow strip: no warning is hidden, and every action can be reached."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.live.gap_detection import IdCounts
from cdb_desktop.ui.live import gap_report
from cdb_desktop.ui.live.strip import LiveStrip
from tests.desktop.ui.live.conftest import LiveWindow

WIDE, NARROW = 1200, 420
OPEN = IdCounts(first=1, last=9, open=9)


@pytest.fixture
def strip(qtbot: QtBot, live: LiveWindow) -> LiveStrip:
    """The strip alone, in the width of a dock at the side."""
    strip = live.view.strip
    strip.setParent(None)
    qtbot.addWidget(strip)
    strip.resize(NARROW, strip.height())
    strip.show()
    return strip


def test_a_warning_is_shortened_and_never_hidden(strip: LiveStrip) -> None:
    """Its tooltip is complete; good news is hidden."""
    words = gap_report.summary(OPEN, is_checkable=True, unreadable=3)
    strip.show_gap_report(words, is_clear=False, warning=gap_report.warning(OPEN, unreadable=3))
    assert strip.report_button.isVisible()
    assert strip.report_button.text() == "⚠ 12"
    assert "9 unexplained" in strip.report_button.toolTip()
    strip.resize(WIDE, strip.height())
    assert strip.report_button.text() == words
    strip.resize(NARROW, strip.height())
    strip.show_gap_report("ids: 0 unexplained", is_clear=True)
    assert not strip.report_button.isVisible()


def test_hidden_buttons_are_in_the_menu(strip: LiveStrip) -> None:
    """Positions of the dock and actions without a button are always in it."""
    places = ["live_account", "live_keep", "live_notify", "live_bottom", "live_right"]
    spare = ["live_new", "live_mark", "live_record"]
    assert _offered(strip) == [*spare, *places]
    assert strip.more.isVisible()
    strip.resize(WIDE, strip.height())
    assert _offered(strip) == places
    buttons = [strip.findChild(QToolButton, name.replace("_", ".")) for name in spare]
    assert all(button is not None and button.isVisible() for button in buttons)


def test_a_recording_keeps_its_count(strip: LiveStrip) -> None:
    """Without the text."""
    strip.show_recording("● recording 1,204", "feed.jsonl", "1,204 events in feed.jsonl")
    assert (strip.recording.text(), strip.recording.toolTip()) == ("● 1,204", "1,204 events in feed.jsonl")
    assert strip.recording.isVisible()
    strip.resize(WIDE, strip.height())
    assert strip.recording.text().startswith("● recording 1,204")
    strip.show_recording("")
    assert not strip.recording.isVisible()


def test_widgets_do_not_overlap(strip: LiveStrip) -> None:
    """With everything that may be shown at once."""
    strip.show_gap_report("ids: 12 unexplained", is_clear=False, warning="⚠ 12")
    strip.show_recording("● recording 1,204")
    QApplication.processEvents()
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    parts = strip.findChildren(QWidget, options=direct)
    shown = sorted((part.geometry() for part in parts if part.isVisible()), key=lambda place: place.left())
    assert all(strip.rect().contains(place) for place in shown)
    assert not any(one.intersects(other) for one, other in pairwise(shown))


def test_feeds_are_above_each_other_in_a_narrow_dock(qtbot: QtBot, live: LiveWindow) -> None:
    """In a wide one they are side by side again, with their shares."""
    live.actions["live_new"].trigger()
    feeds = live.view.splitter
    assert feeds.orientation() == Qt.Orientation.Horizontal
    live.window.resize(420, 800)
    qtbot.waitUntil(lambda: feeds.orientation() == Qt.Orientation.Vertical)
    upper, lower = live.view.panes
    qtbot.waitUntil(lambda: lower.geometry().top() >= upper.geometry().bottom() > 100)
    live.actions["live_new"].trigger()
    heights = feeds.sizes()
    assert max(heights) - min(heights) <= 2
    live.window.resize(900, 340)
    qtbot.waitUntil(lambda: feeds.orientation() == Qt.Orientation.Horizontal)


def _offered(strip: LiveStrip) -> list[str]:
    menu = strip.more.menu()
    menu.aboutToShow.emit()
    names = [action.objectName() for action in menu.actions() if not action.isSeparator()]
    return [name.removeprefix("action.") for name in names]


def test_messages_take_the_place_of_the_counts(qtbot: QtBot, strip: LiveStrip, live: LiveWindow) -> None:
    """For a while; a narrow strip has no space for them, so that a notice shows them."""
    strip.resize(WIDE, strip.height())
    before = strip.counts.text()
    live.view.show_message("Link copied.")
    assert strip.counts.text() == "Link copied."
    live.add(100, 5)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 105)
    assert strip.counts.text() == "Link copied."
    strip._message_timer.timeout.emit()
    assert strip.counts.text() == before.replace("100", "105")
    assert live.view.notices.isHidden()
    strip.resize(NARROW, strip.height())
    live.view.show_message("Link copied.")
    assert live.view.notices.title == "Link copied."
