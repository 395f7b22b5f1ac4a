"""A span of time, relative to now or between two bounds."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum

import msgspec

from cdb_desktop.vocabulary.times import from_clock, in_zone, midnight


class TimePreset(Enum):
    """A time span relative to now. Weeks begin on Monday, as in ISO 8601.

    The last ones are calendar periods; ``WEEK`` and ``MONTH`` are 7 and 30 days until now.
    """

    QUARTER_HOUR = "quarter_hour"
    HOUR = "hour"
    DAY = "day"
    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "week"
    MONTH = "month"
    THIS_WEEK = "this_week"
    LAST_WEEK = "last_week"
    THIS_MONTH = "this_month"
    LAST_MONTH = "last_month"


_PRESET_LENGTHS = {
    TimePreset.QUARTER_HOUR: timedelta(minutes=15),
    TimePreset.HOUR: timedelta(hours=1),
    TimePreset.DAY: timedelta(days=1),
    TimePreset.WEEK: timedelta(days=7),
    TimePreset.MONTH: timedelta(days=30),
}


_CALENDAR_DAYS: dict[TimePreset | None, int] = {
    TimePreset.TODAY: 1,
    TimePreset.YESTERDAY: 1,
    TimePreset.THIS_WEEK: 7,
    TimePreset.LAST_WEEK: 7,
}


class TimeSpan(msgspec.Struct, frozen=True):
    """A preset, or two optional bounds, both inclusive and with a UTC offset (§4.3).

    A bound is either a time (``first``, ``last``) or a number of seconds before now (``first_ago``,
    ``last_ago``).
    """

    preset: TimePreset | None = None
    first: datetime | None = None
    last: datetime | None = None
    first_ago: int | None = None
    last_ago: int | None = None

    @property
    def is_everything(self) -> bool:
        """Whether the span has no bounds."""
        return self == TimeSpan()

    @property
    def is_relative(self) -> bool:
        """Whether the span moves with the current time."""
        return self.preset is not None or self.first_ago is not None or self.last_ago is not None

    def bounds(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The first and the last time at ``now``, None where there is no bound."""
        now = now.replace(microsecond=0)
        if self.preset is None:
            return _bound(self.first, self.first_ago, now), _bound(self.last, self.last_ago, now)
        if self.preset is TimePreset.TODAY:
            return midnight(now), None
        if self.preset is TimePreset.YESTERDAY:
            end = midnight(now) - timedelta(seconds=1)
            return midnight(end), end
        if self.preset in _PRESET_LENGTHS:
            return now - _PRESET_LENGTHS[self.preset], None
        return _calendar_bounds(self.preset, midnight(now))


def period_before(preset: TimePreset | None, first: datetime, last: datetime) -> tuple[datetime, datetime]:
    """The period with which the one from ``first`` to ``last`` is compared, both inclusive.

    For a day, a week or a month of the calendar that is the one before it, as long as the period has gone so
    far; for others it is the time of the same length that ends where it begins.
    """
    if preset in _CALENDAR_DAYS:
        days = _CALENDAR_DAYS[preset]
        return _days_earlier(first, days), _days_earlier(last, days)
    if preset in {TimePreset.THIS_MONTH, TimePreset.LAST_MONTH}:
        end = _shifted(first, -timedelta(seconds=1))
        start = _day(midnight(end), 1 - in_zone(end).day)
        # By the clock, as the offset may change in either month.
        gone = _clock(last) - _clock(first)
        return start, end if preset is TimePreset.LAST_MONTH else min(end, from_clock(_clock(start) + gone))
    length = last - first + timedelta(seconds=1)
    return _shifted(first, -length), _shifted(first, -timedelta(seconds=1))


def span_around(time: datetime, minutes: int = 5) -> TimeSpan:
    """The span from ``minutes`` before to ``minutes`` after ``time``."""
    margin = timedelta(minutes=minutes)
    return TimeSpan(first=_shifted(time, -margin), last=_shifted(time, margin))


def _calendar_bounds(preset: TimePreset, today: datetime) -> tuple[datetime, datetime | None]:
    is_week = preset in {TimePreset.THIS_WEEK, TimePreset.LAST_WEEK}
    start = _day(today, -today.weekday() if is_week else 1 - today.day)
    if preset in {TimePreset.THIS_WEEK, TimePreset.THIS_MONTH}:
        return start, None
    end = start - timedelta(seconds=1)
    return _day(start, -7) if is_week else _day(midnight(end), 1 - end.day), end


def _day(moment: datetime, days: int) -> datetime:
    """The start of the day so many days later, whose offset may differ."""
    return midnight(moment + timedelta(days=days, hours=12)) if days else midnight(moment)


def _days_earlier(moment: datetime, days: int) -> datetime:
    """The same time of the clock so many days before."""
    return from_clock(_clock(moment) - timedelta(days=days))


def _clock(moment: datetime) -> datetime:
    """What the clock shows, without an offset."""
    return in_zone(moment).replace(tzinfo=None)


def _bound(time: datetime | None, ago: int | None, now: datetime) -> datetime | None:
    return time if ago is None else _shifted(now, -timedelta(seconds=ago))


def _shifted(time: datetime, delta: timedelta) -> datetime:
    # A service may store any time, even the first or the last that datetime can represent.
    try:
        return time + delta
    except OverflowError:
        return time
