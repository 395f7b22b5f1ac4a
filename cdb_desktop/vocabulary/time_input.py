"""Parses a single time as users type or paste it; `query_text` finds dates in queries."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, time, timedelta, timezone
from enum import Enum

from cdb_desktop.vocabulary.times import from_clock, in_zone

MIN_YEAR, MAX_YEAR = 1980, 2199
MAX_SECONDS_AGO = 1_500_000_000  # as far back as MIN_YEAR allows
_DATE = r"(?:(?P<year>\d+)-(?P<month>\d+)-(?P<day>\d+)|(?P<day_>\d+)\.(?P<month_>\d+)\.(?P<year_>\d+))"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
_ZONE = r"(?P<zone>Z|UTC|[+-]\d{2}(?::?\d{2})?)"
_FULL = re.compile(rf"{_DATE}(?:[T,\s]+{_TIME}\s*{_ZONE}?)?", re.IGNORECASE)
_CLOCK = re.compile(_TIME)
_AGO = re.compile(r"-?\s*(?P<number>\d{1,6})\s*(?P<unit>s|min|m|h|d|w)", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}  # seconds
_DISPLAY_UNITS = ("d", "h", "min", "s")
_DAYS_AGO = {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1}
_DAY = re.compile(rf"(?P<name>{'|'.join(_DAYS_AGO)})(?:[,\s]+{_TIME})?", re.IGNORECASE)
_END_OF_DAY = timedelta(days=1) - timedelta(seconds=1)


class TimeFault(Enum):
    """Why a text is not a valid time."""

    NONSENSE = "nonsense"
    NO_SUCH_DAY = "no_such_day"
    NO_SUCH_TIME = "no_such_time"
    YEAR = "year"


class TimeInputError(ValueError):
    """A text is not a valid time; ``fault`` is the reason."""

    def __init__(self, fault: TimeFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


class TimeUnit(Enum):
    """A unit by which a time is stepped."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"


_STEPS = {
    TimeUnit.DAY: timedelta(days=1),
    TimeUnit.HOUR: timedelta(hours=1),
    TimeUnit.MINUTE: timedelta(minutes=1),
    TimeUnit.SECOND: timedelta(seconds=1),
}


def parse_time(text: str, now: datetime, *, day_ends: bool = False) -> datetime:
    """The time that ``text`` means: a date, a date and a time, a time of today, or an age such as ``2h``.

    Days may be named, ``yesterday 18:00``. A date without a time, also ``today`` and ``yesterday``, means its
    first second, with ``day_ends`` its last. Raises TimeInputError.
    """
    text = text.strip()
    if text.casefold() == "now":
        return in_zone(now).replace(microsecond=0)
    if (ago := parse_seconds_ago(text)) is not None:
        return _time_ago(now, ago)
    if named := _DAY.fullmatch(text):
        day = in_zone(now).date() - timedelta(days=_DAYS_AGO[named["name"].casefold()])
        return _time_of_day(datetime.combine(day, time()), named, day_ends=day_ends)
    if clock := _CLOCK.fullmatch(text):
        return _checked(from_clock(datetime.combine(in_zone(now).date(), _clock_time(clock))))
    if full := _FULL.fullmatch(text):
        return _full_time(full, day_ends=day_ends)
    raise TimeInputError(TimeFault.NONSENSE)


def parse_seconds_ago(text: str) -> int | None:
    """The age in seconds that ``text`` means (``2h``, ``30 min``), None if it is not an age."""
    found = _AGO.fullmatch(text.strip())
    return int(found["number"]) * _UNITS[found["unit"].casefold()] if found else None


def in_largest_unit(seconds: int) -> tuple[int, str]:
    """``seconds`` as a whole number of the largest unit among ``d``, ``h``, ``min`` and ``s``."""
    unit = next(unit for unit in _DISPLAY_UNITS if seconds % _UNITS[unit] == 0)
    return seconds // _UNITS[unit], unit


def step_time(start: datetime, unit: TimeUnit, by: int) -> datetime:
    """``start`` moved by so many units on the clock; a day after the end of the month becomes its last day.

    Returns ``start`` if the year would be out of range.
    """
    bare = in_zone(start).replace(tzinfo=None)
    if unit in _STEPS:
        moved = bare + by * _STEPS[unit]
    else:
        months = bare.year * 12 + bare.month - 1 + by * (12 if unit is TimeUnit.YEAR else 1)
        year, month = months // 12, months % 12 + 1
        moved = bare.replace(year=year, month=month, day=min(bare.day, monthrange(year, month)[1]))
    return _checked(from_clock(moved)) if MIN_YEAR <= moved.year <= MAX_YEAR else start


def _full_time(found: re.Match[str], *, day_ends: bool) -> datetime:
    year, month, day = (int(found[name] or found[f"{name}_"]) for name in ("year", "month", "day"))
    if not MIN_YEAR <= year <= MAX_YEAR:
        raise TimeInputError(TimeFault.YEAR)
    try:
        bare = datetime(year, month, day)  # noqa: DTZ001  # the zone follows below
    except ValueError as error:
        raise TimeInputError(TimeFault.NO_SUCH_DAY) from error
    if found["zone"]:
        return in_zone(datetime.combine(bare.date(), _clock_time(found), _zone(found["zone"])))
    return _time_of_day(bare, found, day_ends=day_ends)


def _time_of_day(day: datetime, found: re.Match[str], *, day_ends: bool) -> datetime:
    """The time on ``day`` that was found; without one the first second of the day, or its last."""
    if found["hour"] is None:
        return from_clock(day + _END_OF_DAY if day_ends else day)
    return from_clock(datetime.combine(day.date(), _clock_time(found)))


def _clock_time(found: re.Match[str]) -> time:
    try:
        return time(int(found["hour"]), int(found["minute"]), int(found["second"] or 0))
    except ValueError as error:
        raise TimeInputError(TimeFault.NO_SUCH_TIME) from error


def _zone(text: str) -> timezone:
    if text.upper() in ("Z", "UTC"):
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    if offset >= timedelta(days=1):
        raise TimeInputError(TimeFault.NO_SUCH_TIME)
    return timezone(-offset if text[0] == "-" else offset)


def _time_ago(now: datetime, seconds: int) -> datetime:
    try:
        return _checked(in_zone(now).replace(microsecond=0) - timedelta(seconds=seconds))
    except OverflowError as error:
        raise TimeInputError(TimeFault.YEAR) from error


def _checked(found: datetime) -> datetime:
    if not MIN_YEAR <= found.year <= MAX_YEAR:
        raise TimeInputError(TimeFault.YEAR)
    return found
