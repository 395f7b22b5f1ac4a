"""Tests of what the feed reports about itself: rate of arrivals, delay of events, notifications."""

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import Event
from cdb_desktop.live.feed_status import ArrivalRate, EventDelay, NotificationThrottle

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_the_rate_covers_the_last_five_seconds() -> None:
    """Earlier arrivals no longer count."""
    rate = ArrivalRate()
    rate.add(0.0, 100)
    rate.add(4.0, 10)
    assert rate.per_second(4.0) == 22
    assert rate.per_second(5.5) == 2
    assert rate.per_second(60.0) == 0


def test_few_arrivals_are_counted_by_the_minute() -> None:
    """Twenty in a minute are a third in a second, which would be shown as 0."""
    rate = ArrivalRate()
    for place in range(40):
        rate.add(3.0 * place, 1)
    assert rate.per_second(118.0) < 1
    assert rate.per_minute(118.0) == 20
    assert rate.per_minute(200.0) == 0


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


def test_it_is_off_by_default() -> None:
    assert NotificationThrottle().add(5, 0.0) == 0


def test_it_notifies_at_once_and_then_collects() -> None:
    """What comes in the next ten seconds is counted together, with the first events after them."""
    alarm = NotificationThrottle()
    alarm.turn(on=True)
    assert [alarm.add(count, moment) for count, moment in ((0, 0), (2, 1), (3, 2), (0, 10), (0, 11))] == [
        0,
        2,
        0,
        0,
        3,
    ]
    alarm.add(4, 12.0)
    alarm.turn(on=True)
    assert alarm.add(0, 60.0) == 0
