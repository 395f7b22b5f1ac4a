"""Tests of the histogram of the overview: painting and texts."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Event
from cdb_desktop.events.overview import Comparison, Overview, overview_of
from cdb_desktop.ui.events.overview.histogram import Histogram, caption_text, range_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.time_span import TimePreset

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def events(*hours: int) -> Overview:
    """An overview with one event at each of these hours."""
    found = [
        Event(id=number, type="SEARCH", timestamp=NOON.replace(hour=hour))
        for number, hour in enumerate(hours, 1)
    ]
    return overview_of(found)


@pytest.fixture
def histogram(qtbot: QtBot, appearance: Appearance) -> Histogram:
    """A visible histogram."""
    appearance.choose("light")
    histogram = Histogram(appearance)
    qtbot.addWidget(histogram)
    histogram.resize(1200, 84)
    with qtbot.waitActive(histogram):
        histogram.show()
        histogram.activateWindow()
    return histogram


def columns_of(histogram: Histogram, colour: str) -> list[int]:
    """The x coordinates inside the focus frame at which this color occurs."""
    image, wanted = histogram.grab().toImage(), QColor(colour)
    return [x for x in range(2, image.width() - 2) if image.pixelColor(x, 50) == wanted]


def test_a_single_bar_has_the_usual_width(histogram: Histogram, appearance: Appearance) -> None:
    """It is centered."""
    histogram.show_overview(events(12))
    bar = columns_of(histogram, appearance.tokens.accent)
    assert 20 <= len(bar) <= 64
    assert abs((bar[0] + bar[-1]) // 2 - histogram.width() // 2) < 3


def test_a_selection_has_visible_edges(histogram: Histogram, appearance: Appearance) -> None:
    """Its background alone hardly differs from the page."""
    histogram.show_overview(events(1, 23))
    histogram.setFocus()
    for _ in range(6):
        QTest.keyClick(histogram, Qt.Key.Key_Left)
    QTest.keyClick(histogram, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    ground = columns_of(histogram, appearance.tokens.selected)
    ends = columns_of(histogram, appearance.tokens.accent)
    assert ground
    assert {ground[0] - 1, ground[-1] + 1} <= set(ends)


def test_return_is_mentioned_only_if_it_has_an_effect() -> None:
    """One event is in the singular, and uncounted events are not called none."""

    def text(number: int | None, *, takes_keys: bool = False) -> str:
        return range_text(NOON, NOON, number, takes_keys=takes_keys).partition(" · ")[2]

    assert text(1) == "1 event"
    assert text(2, takes_keys=True) == "2 events · Return sets the dates"
    assert text(None, takes_keys=True) == "counting…"
    assert text(0, takes_keys=True) == "no events, cannot be chosen"


def test_an_empty_range_is_not_chosen(histogram: Histogram, qtbot: QtBot) -> None:
    """By the pointer or with Return; a wider one is."""
    histogram.show_overview(events(1, 23))
    empty = histogram._cell(len(histogram.overview.buckets) // 2).center()
    with qtbot.assertNotEmitted(histogram.span_chosen):
        QTest.mouseClick(histogram, Qt.MouseButton.LeftButton, pos=empty)
        QTest.keyClick(histogram, Qt.Key.Key_Return)
    assert "cannot be chosen" in histogram._caption_text()
    with qtbot.waitSignal(histogram.span_chosen):
        QTest.keyClick(histogram, Qt.Key.Key_End)
        QTest.keyClick(histogram, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("preset", "numbers", "text"),
    [
        (TimePreset.LAST_WEEK, (1, 1), "±0 % against the week before (2)"),
        (TimePreset.THIS_MONTH, (1, 0), "+100 % against the month before (1)"),
        (TimePreset.YESTERDAY, (3, 1), "−50 % against the day before (4)"),
        (None, (0, 0), "none in the period before"),
    ],
)
def test_the_number_is_compared_with_the_period_before(
    preset: TimePreset | None, numbers: tuple[int, ...], text: str
) -> None:
    """In percent, with the number of the other period."""
    assert caption_text(replace(events(1, 2), before=Comparison(preset, 2, numbers))) == text
    assert caption_text(events(1, 2)) == ""


def test_families_are_counted_on_request(histogram: Histogram, qtbot: QtBot) -> None:
    """Only where they are not known."""
    button = histogram._families
    histogram.show_overview(events(1, 2))
    assert not button.isVisible()
    histogram.show_overview(replace(events(1, 2), families={}))
    with qtbot.waitSignal(histogram.families_requested):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isVisible()
