"""Tests of the delay of events and of clocks that are wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import Event
from cdb_desktop.live.feed_status import EventDelay

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def received_after(*seconds: float) -> EventDelay:
    """The delay after events of noon have come ``seconds`` later."""
    one = EventDelay()
    for late in seconds:
        one.add([Event(id=1), Event(id=2, timestamp=NOON)], (NOON + timedelta(seconds=late)).timestamp())
    return one


def test_the_delay_is_that_of_the_newest_event() -> None:
    """It is unknown before one has come."""
    assert received_after().seconds is None
    assert received_after(0.5, 1.5).seconds == pytest.approx(1.5)
    assert received_after(0.5).skew == 0


@pytest.mark.parametrize("off", [3600.0, -3600.0])
def test_a_clock_skew_of_an_hour_is_no_delay(off: float) -> None:
    """Nor is a negative one."""
    one = received_after(off + 0.3, off + 2.3)
    assert one.skew == pytest.approx(off + 0.3)
    assert one.seconds == pytest.approx(2.0)
    one.reset()
    assert one.seconds is None
