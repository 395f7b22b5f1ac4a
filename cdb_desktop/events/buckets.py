"""Cuts a stretch of time into a few equal buckets that begin at round times. No I/O."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import EventFilter
from cdb_desktop.vocabulary.times import in_zone, midnight

MOST = 64  # buckets
_SECOND = timedelta(seconds=1)
_WIDTHS = tuple(
    timedelta(seconds=number)
    for number in (
        *(1, 5, 15, 30),
        *(60, 5 * 60, 15 * 60, 30 * 60),
        *(3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600),
        *(86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400, 91 * 86_400, 365 * 86_400),
    )
)


class Bucket(msgspec.Struct, frozen=True):
    """From ``first`` to ``last``, both inclusive: stored times are whole seconds (wire §1)."""

    first: datetime
    last: datetime

    def of(self, chosen: EventFilter) -> EventFilter:
        """The same filter within this bucket."""
        return replace(chosen, date_from=self.first, date_to=self.last)


def buckets(first: datetime, last: datetime, most: int = MOST) -> tuple[Bucket, ...]:
    """At most ``most`` buckets that cover all from ``first`` to ``last``; the two at the ends end there.

    They begin at midnight in the chosen zone, or at what divides a day evenly.
    """
    first, last = sorted((_in_utc(first), _in_utc(last)))
    width = _width(last - first + _SECOND, most)
    start = _start(first, width)
    result: list[Bucket] = []
    while start <= last:
        if last - start < width:
            # Beyond it a calendar may have no more days.
            return (*result, Bucket(max(start, first), last))
        following = start + width
        result.append(Bucket(max(start, first), following - _SECOND))
        start = following
    return tuple(result)


def _width(length: timedelta, most: int) -> timedelta:
    # One less: a bucket more may be needed because they begin at round times.
    for width in _WIDTHS:
        if length <= width * (most - 1):
            return width
    return timedelta(days=-(-length // (timedelta(days=1) * (most - 1))))


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # at either end of what a calendar can hold
        return moment.replace(tzinfo=UTC)


def _start(first: datetime, width: timedelta) -> datetime:
    try:
        day = midnight(in_zone(first)).astimezone(UTC)
    except (OverflowError, ValueError):
        return first
    return day + (first - day) // width * width if width < timedelta(days=1) else day
