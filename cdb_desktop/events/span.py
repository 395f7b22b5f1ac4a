"""A stretch of time that is asked for: relative to now, or between two moments. No I/O."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum

import msgspec

from cdb_desktop.vocabulary.times import midnight


class Preset(Enum):
    """A stretch that moves with now."""

    QUARTER_HOUR = "quarter_hour"
    HOUR = "hour"
    DAY = "day"
    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "week"
    MONTH = "month"


_LENGTHS = {
    Preset.QUARTER_HOUR: timedelta(minutes=15),
    Preset.HOUR: timedelta(hours=1),
    Preset.DAY: timedelta(days=1),
    Preset.WEEK: timedelta(days=7),
    Preset.MONTH: timedelta(days=30),
}


class Span(msgspec.Struct, frozen=True):
    """A preset, or bounds of which either may be missing; both are inclusive and have an offset (§4.3).

    A bound is a moment, or so many seconds before now and moves with it.
    """

    preset: Preset | None = None
    first: datetime | None = None
    last: datetime | None = None
    first_ago: int | None = None
    last_ago: int | None = None

    @property
    def is_everything(self) -> bool:
        """Whether all of time is meant."""
        return self == Span()

    def bounds(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The first and the last moment at ``now``, None where there is no bound."""
        now = now.replace(microsecond=0)
        if self.preset is None:
            return _bound(self.first, self.first_ago, now), _bound(self.last, self.last_ago, now)
        if self.preset is Preset.TODAY:
            return midnight(now), None
        if self.preset is Preset.YESTERDAY:
            end = midnight(now) - timedelta(seconds=1)
            return midnight(end), end
        return now - _LENGTHS[self.preset], None


def around(moment: datetime, minutes: int = 5) -> Span:
    """So many minutes before and after ``moment``."""
    reach = timedelta(minutes=minutes)
    return Span(first=_moved(moment, -reach), last=_moved(moment, reach))


def _bound(moment: datetime | None, ago: int | None, now: datetime) -> datetime | None:
    return moment if ago is None else _moved(now, -timedelta(seconds=ago))


def _moved(moment: datetime, by: timedelta) -> datetime:
    # A service may write any time, also such that there is none beyond it.
    try:
        return moment + by
    except OverflowError:
        return moment
