"""Tests of the period with which another is compared, across changes of the offset and ends of months."""

from datetime import datetime, timedelta

import pytest

from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan, period_before
from cdb_desktop.vocabulary.times import choose_zone

pytestmark = pytest.mark.usefixtures("in_berlin")

_SECOND = timedelta(seconds=1)


def _before(preset: TimePreset | None, first: str, last: str) -> tuple[str, str]:
    found = period_before(preset, datetime.fromisoformat(first), datetime.fromisoformat(last))
    return found[0].isoformat(), found[1].isoformat()


@pytest.mark.parametrize(
    ("preset", "first", "last", "start", "end"),
    [
        # A day of 23 and one of 25 hours, before days of 24.
        (
            TimePreset.YESTERDAY,
            *("2026-03-30T00:00:00+02:00", "2026-03-30T23:59:59+02:00"),
            *("2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59+02:00"),
        ),
        (
            TimePreset.YESTERDAY,
            *("2026-10-26T00:00:00+01:00", "2026-10-26T23:59:59+01:00"),
            *("2026-10-25T00:00:00+02:00", "2026-10-25T23:59:59+01:00"),
        ),
        # Until the same time of the clock.
        (
            TimePreset.TODAY,
            *("2026-03-29T00:00:00+01:00", "2026-03-29T12:00:00+02:00"),
            *("2026-03-28T00:00:00+01:00", "2026-03-28T12:00:00+01:00"),
        ),
        (
            TimePreset.THIS_WEEK,
            *("2026-10-26T00:00:00+01:00", "2026-10-27T09:30:00+01:00"),
            *("2026-10-19T00:00:00+02:00", "2026-10-20T09:30:00+02:00"),
        ),
        (
            TimePreset.LAST_WEEK,
            *("2026-03-30T00:00:00+02:00", "2026-04-05T23:59:59+02:00"),
            *("2026-03-23T00:00:00+01:00", "2026-03-29T23:59:59+02:00"),
        ),
        (
            TimePreset.THIS_MONTH,
            *("2026-10-01T00:00:00+02:00", "2026-10-26T12:00:00+01:00"),
            *("2026-09-01T00:00:00+02:00", "2026-09-26T12:00:00+02:00"),
        ),
        # The month before is shorter, or in another year.
        (
            TimePreset.THIS_MONTH,
            *("2026-03-01T00:00:00+01:00", "2026-03-31T08:00:00+02:00"),
            *("2026-02-01T00:00:00+01:00", "2026-02-28T23:59:59+01:00"),
        ),
        (
            TimePreset.LAST_MONTH,
            *("2026-03-01T00:00:00+01:00", "2026-03-31T23:59:59+02:00"),
            *("2026-02-01T00:00:00+01:00", "2026-02-28T23:59:59+01:00"),
        ),
        (
            TimePreset.LAST_MONTH,
            *("2026-11-01T00:00:00+01:00", "2026-11-30T23:59:59+01:00"),
            *("2026-10-01T00:00:00+02:00", "2026-10-31T23:59:59+01:00"),
        ),
        (
            TimePreset.THIS_MONTH,
            *("2026-01-01T00:00:00+01:00", "2026-01-10T12:00:00+01:00"),
            *("2025-12-01T00:00:00+01:00", "2025-12-10T12:00:00+01:00"),
        ),
    ],
)
def test_calendar_periods_are_compared_with_those_of_the_calendar(
    preset: TimePreset, first: str, last: str, start: str, end: str
) -> None:
    """However long they are, and up to the same time of the clock."""
    assert _before(preset, first, last) == (start, end)


def test_other_periods_are_compared_with_the_same_length() -> None:
    """The time that ends right before, whatever the clocks did in it."""
    first, last = (
        datetime.fromisoformat("2026-03-28T00:00:00+01:00"),
        datetime.fromisoformat("2026-03-30T23:59:59+02:00"),
    )
    for preset in (None, TimePreset.WEEK, TimePreset.MONTH, TimePreset.HOUR):
        before = period_before(preset, first, last)
        assert before[1] == first - _SECOND
        assert before[1] - before[0] == last - first


@pytest.mark.parametrize("zone", ["local", "utc"])
def test_periods_of_presets_meet(zone: str) -> None:
    """On every day of a year; a period that is over is compared with all of the one before."""
    choose_zone("utc" if zone == "utc" else "local")
    now = datetime.fromisoformat("2026-01-01T09:30:00+01:00")
    whole = {TimePreset.YESTERDAY, TimePreset.LAST_WEEK, TimePreset.LAST_MONTH}
    for _day in range(366):
        for preset in (*whole, TimePreset.TODAY, TimePreset.THIS_WEEK, TimePreset.THIS_MONTH):
            first, last = TimeSpan(preset).bounds(now)
            assert first is not None
            start, end = period_before(preset, first, last or now)
            assert start < end < first
            if preset in whole:
                assert end == first - _SECOND
            # It begins as the same day, week or month did when it was not over.
            assert start == TimeSpan(_PRESENT.get(preset, preset)).bounds(end)[0]
        now += timedelta(days=1)


_PRESENT = {
    TimePreset.YESTERDAY: TimePreset.TODAY,
    TimePreset.LAST_WEEK: TimePreset.THIS_WEEK,
    TimePreset.LAST_MONTH: TimePreset.THIS_MONTH,
}
