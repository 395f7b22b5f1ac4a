"""Tests of the histogram of the overview: painting and texts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Event
from cdb_desktop.events.overview import Overview, overview_of
from cdb_desktop.ui.events.overview.histogram import Histogram, range_texts
from cdb_desktop.ui.theme.appearance import Appearance

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
    histogram.resize(1200, 64)
    with qtbot.waitActive(histogram):
        histogram.show()
        histogram.activateWindow()
    return histogram


def columns_of(histogram: Histogram, colour: str) -> list[int]:
    """The x coordinates inside the focus frame at which this color occurs."""
    image, wanted = histogram.grab().toImage(), QColor(colour)
    return [x for x in range(2, image.width() - 2) if image.pixelColor(x, 30) == wanted]


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
    assert range_texts(NOON, NOON, 1, takes_keys=False)[1] == "1 event"
    assert range_texts(NOON, NOON, 2, takes_keys=True)[1] == "2 events · Return sets the dates"
    assert range_texts(NOON, NOON, None, takes_keys=False)[1] == "counting…"
    assert range_texts(NOON, NOON, 0, takes_keys=False)[1] == "0 events"
