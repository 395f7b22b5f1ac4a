"""Tests of the rate of arrivals."""

from __future__ import annotations

from cdb_desktop.live.feed_status import ArrivalRate


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
