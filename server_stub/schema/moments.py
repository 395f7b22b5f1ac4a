"""Dates and times as ISO 8601 writes them: a year, a month, a day, or a day with a time; knows no column."""

from __future__ import annotations

import re
from calendar import monthrange

_DAY = r"(?P<year>[+-]?\d{4,6})(-(?P<month>0[1-9]|1[0-2])(-(?P<day>0[1-9]|[12]\d|3[01]))?)?"
_TIME = r"([01]\d|2[0-4]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"
# The calendar repeats after so many years; what counts days knows those of four digits only.
_CYCLE = 400
_MOMENT = re.compile(rf"{_DAY}([T ]{_TIME})?", re.ASCII)


def is_moment(value: object) -> bool:
    """Whether a value is the text of a date that the calendar has, with or without a time."""
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["day"] is None:
        return match is not None
    _, days = monthrange(int(match["year"]) % _CYCLE + _CYCLE, int(match["month"]))
    return int(match["day"]) <= days
