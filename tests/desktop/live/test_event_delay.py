"""Tests of the way of events to the feed, and of clocks that are off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import Event
from cdb_desktop.live.feed_status import EventDelay

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def lag(*seconds: float) -> EventDelay:
    """Events of noon came so many seconds later."""
    one = EventDelay()
    for late in seconds:
        one.add([Event(id=1), Event(id=2, timestamp=NOON)], (NOON + timedelta(seconds=late)).timestamp())
    return one


def test_the_newest_event_tells_how_long_the_way_is() -> None:
    """Nobody knows before one has come."""
    assert lag().seconds is None
    assert lag(0.5, 1.5).seconds == pytest.approx(1.5)
    assert lag(0.5).skew == 0


@pytest.mark.parametrize("off", [3600.0, -3600.0])
def test_a_clock_that_is_an_hour_off_is_found_out(off: float) -> None:
    """It is no lag of an hour, nor one of less than nothing."""
    one = lag(off + 0.3, off + 2.3)
    assert one.skew == pytest.approx(off + 0.3)
    assert one.seconds == pytest.approx(2.0)
    one.reset()
    assert one.seconds is None
