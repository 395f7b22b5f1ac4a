"""The labels of a time axis, in the chosen zone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import msgspec

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.vocabulary.times import from_clock, in_zone

_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 3, 6)
_YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_DAY = 86_400
_YEAR_DAYS = 366

Text = Callable[[datetime], str]


class Tick(msgspec.Struct, frozen=True):
    """A labelled time."""

    moment: datetime
    text: str


def time_ticks(first: datetime, last: datetime, most: int) -> tuple[Tick, ...]:
    """At most ``most`` ticks from ``first`` to ``last``, at round times of the clock or the calendar."""
    start, end = (in_zone(moment).replace(tzinfo=None, microsecond=0) for moment in (first, last))
    if end <= start or most < 1:
        return ()
    for times, text in _scales(start, end, most):
        found = [moment for moment in times if start <= moment <= end]
        if len(found) <= most:
            return tuple(Tick(from_clock(moment), text(moment)) for moment in found)
    return ()


def _scales(start: datetime, end: datetime, most: int) -> Iterator[tuple[Iterator[datetime], Text]]:
    """The scales that may fit, the finest first."""
    length = (end - start).total_seconds()
    for seconds in _SECONDS:
        if length <= seconds * (most + 1):
            text = _seconds_text if seconds < 60 else _time_text
            yield _steps(start, end, timedelta(seconds=seconds)), text
    for days in _DAYS:
        if length <= days * _DAY * (most + 1):
            yield _days(start, end, days), _day_text
    for months in _MONTHS:
        if length <= months * 31 * _DAY * (most + 1):
            yield _months(start, end, months), _month_text
    for years in _YEARS:
        if length <= years * _YEAR_DAYS * _DAY * (most + 1):
            yield _months(start, end, 12 * years), lambda moment: str(moment.year)


def _steps(start: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    day = start.replace(hour=0, minute=0, second=0)
    number = -(-(start - day) // step)
    while number * step <= end - day:
        yield day + number * step
        number += 1


def _days(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    # Weeks begin on Monday, as the first day of the calendar was one.
    number = (start.toordinal() - 1) // step * step + 1
    while number <= end.toordinal():
        yield datetime.fromordinal(number)
        number += step


def _months(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    number = (12 * start.year + start.month - 1) // step * step
    while number <= 12 * end.year + end.month - 1:
        if number >= 12:
            yield datetime(number // 12, number % 12 + 1, 1)  # noqa: DTZ001  # a time of the clock
        number += step


def _seconds_text(moment: datetime) -> str:
    return moment.strftime("%H:%M:%S")


def _time_text(moment: datetime) -> str:
    is_midnight = moment.hour == moment.minute == 0
    return _day_text(moment) if is_midnight else moment.strftime("%H:%M")


def _day_text(moment: datetime) -> str:
    return tr("{day} {month}", day=str(moment.day), month=_month_name(moment))


def _month_text(moment: datetime) -> str:
    return str(moment.year) if moment.month == 1 else _month_name(moment)


def _month_name(moment: datetime) -> str:
    names = (
        *(tr("Jan"), tr("Feb"), tr("Mar"), tr("Apr"), tr("May"), tr("Jun")),
        *(tr("Jul"), tr("Aug"), tr("Sep"), tr("Oct"), tr("Nov"), tr("Dec")),
    )
    return names[moment.month - 1]
