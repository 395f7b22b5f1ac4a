"""Tests of the rate of arrivals."""

from __future__ import annotations

from cdb_desktop.live.rate import Rate


def test_the_rate_is_that_of_the_last_seconds() -> None:
    """What came five seconds ago counts no more."""
    rate = Rate()
    rate.note(0.0, 100)
    rate.note(4.0, 10)
    assert rate.per_second(4.0) == 22
    assert rate.per_second(5.5) == 2
    assert rate.per_second(60.0) == 0
