"""The histogram of a result: its events over time and by event family, counted by the service."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.counts import count_each
from cdb_desktop.vocabulary.event_types import EventFamily, family_of
from cdb_desktop.vocabulary.time_span import TimePreset, period_before
from cdb_desktop.vocabulary.times import in_zone, midnight

MAX_BUCKETS = 64
_SECOND = timedelta(seconds=1)
_WIDTHS = tuple(
    timedelta(seconds=number)
    for number in (
        *(1, 5, 15, 30),
        *(60, 5 * 60, 15 * 60, 30 * 60),
        *(3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600),
        *(86_400, 2 * 86_400, 3 * 86_400, 7 * 86_400, 14 * 86_400, 30 * 86_400, 91 * 86_400, 365 * 86_400),
    )
)


class OverviewSource(Protocol):
    """The calls to the service; all of them may raise ClientError."""

    async def count(self, chosen: EventFilter) -> int: ...
    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None: ...


class TimeBucket(msgspec.Struct, frozen=True):
    """The time from ``first`` to ``last``, both inclusive: stored times are whole seconds (wire §1)."""

    first: datetime
    last: datetime

    def within(self, event_filter: EventFilter) -> EventFilter:
        """``event_filter`` limited to this bucket."""
        return replace(event_filter, date_from=self.first, date_to=self.last)


class Comparison(msgspec.Struct, frozen=True):
    """The numbers of events of the period before, each for ``group`` buckets that follow one another.

    ``preset`` is that of the period which is compared; None for one between two times.
    """

    preset: TimePreset | None
    group: int
    numbers: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of all events of the period before."""
        return sum(self.numbers)


class Overview(msgspec.Struct, frozen=True):
    """The buckets with the numbers counted so far, all of them exact.

    ``totals`` may be shorter than ``buckets``. ``families`` hold a number for each bucket and each family
    that occurs, and are empty until they are counted. Events of unknown types count as the family SYSTEM.
    """

    buckets: tuple[TimeBucket, ...] = ()
    totals: tuple[int, ...] = ()
    families: Mapping[EventFamily, tuple[int, ...]] = {}
    before: Comparison | None = None

    @property
    def highest(self) -> float:
        """The number of events in the fullest bucket, also of the period before."""
        before = self.before
        others = () if before is None else (number / before.group for number in before.numbers)
        return max((*self.totals, *others), default=0)

    @property
    def is_counted(self) -> bool:
        """Whether all buckets have been counted."""
        return bool(self.buckets) and len(self.totals) == len(self.buckets)

    def number(self, first: int, last: int) -> int | None:
        """The number of events from one bucket to another, None if they have not all been counted."""
        return sum(self.totals[first : last + 1]) if last < len(self.totals) else None

    def parts(self, index: int) -> list[tuple[EventFamily, int]]:
        """The families counted in a bucket with their numbers, in the order of the families."""
        counts = ((family, self.families.get(family, ())) for family in EventFamily)
        return [(family, found[index]) for family, found in counts if index < len(found) and found[index]]


OnOverview = Callable[[Overview, float], None]


async def count_overview(
    source: OverviewSource, event_filter: EventFilter, most: int, on_progress: OnOverview
) -> Overview:
    """Counts the events of a filter in at most ``most`` buckets, a call each. Raises what ``source`` raises.

    One or two more calls find the first and the last event where the filter has no date. ``on_progress`` gets
    the overview after each call, and the fraction that is done.
    """
    first, last = [await _bound(source, event_filter, newest=newest) for newest in (False, True)]
    if first is None or last is None:
        return Overview()
    result = Overview(time_buckets(first, last, most))
    filters = ((bucket, bucket.within(event_filter)) for bucket in result.buckets)
    async for _bucket, number in count_each(source.count, filters):
        result = replace(result, totals=(*result.totals, number))
        on_progress(result, len(result.totals) / len(result.buckets))
    return result


async def count_families(
    source: OverviewSource,
    event_filter: EventFilter,
    overview: Overview,
    types: Iterable[str],
    on_progress: OnOverview,
) -> Overview:
    """Counts the families in each bucket: a call for each family, then one for each family and bucket.

    ``types`` are the known event types. Raises what ``source`` raises.
    """
    types_of = _types_by_family(event_filter.type or types)
    by_family = [(family, replace(event_filter, type=names)) for family, names in types_of.items()]
    present = [family async for family, number in count_each(source.count, by_family) if number]
    result = overview
    for step, family in enumerate(present, start=1):
        found = await _count_family(source.count, result, replace(event_filter, type=types_of[family]))
        result = replace(result, families={**result.families, family: found})
        on_progress(result, step / len(present))
    return _with_system(result)


async def count_before(
    source: OverviewSource,
    event_filter: EventFilter,
    overview: Overview,
    preset: TimePreset | None,
    most: int,
) -> Overview:
    """Adds the period before the buckets, counted in at most ``most`` calls. Raises what ``source`` raises.

    ``preset`` is that of the query, which has a first and a last date.
    """
    buckets = overview.buckets
    if not buckets:
        return overview
    first, last = period_before(preset, buckets[0].first, buckets[-1].last)
    group, shift = -(-len(buckets) // most), first - buckets[0].first
    groups = [buckets[place : place + group] for place in range(0, len(buckets), group)]
    ends = [min(last, several[-1].last + shift) for several in groups[:-1]]
    starts = [first, *(end + _SECOND for end in ends)]
    # A month may be shorter than the next one, whose last days have nothing to be compared with then.
    periods = [TimeBucket(*pair) for pair in zip(starts, (*ends, last), strict=True) if pair[0] <= pair[1]]
    filters = ((period, period.within(event_filter)) for period in periods)
    numbers = [number async for _period, number in count_each(source.count, filters)]
    return replace(overview, before=Comparison(preset, group, tuple(numbers)))


def overview_of(
    events: Sequence[Event], first: datetime | None = None, last: datetime | None = None
) -> Overview:
    """The overview of events that are all in memory, without any call.

    ``first`` and ``last`` are the dates of the query, by default those of the first and the last event.
    """
    times = [event.timestamp for event in events if event.timestamp is not None]
    if not times:
        return Overview()
    # A service may list events that are outside the dates.
    found = time_buckets(
        min(times) if first is None else min(first, *times), max(times) if last is None else max(last, *times)
    )
    starts = [bucket.first for bucket in found]
    counts = {family: [0] * len(found) for family in EventFamily}
    for event in events:
        if event.timestamp is not None:
            counts[family_of(event.type)][max(0, bisect_right(starts, event.timestamp) - 1)] += 1
    totals = tuple(map(sum, zip(*counts.values(), strict=True)))
    families = {family: tuple(numbers) for family, numbers in counts.items() if any(numbers)}
    return Overview(found, totals, families)


def time_buckets(first: datetime, last: datetime, most: int = MAX_BUCKETS) -> tuple[TimeBucket, ...]:
    """At most ``most`` buckets of equal width from ``first`` to ``last``, cut off at both ends.

    They begin at midnight in the time zone in use, or at times that divide a day evenly.
    """
    first, last = sorted((_as_utc(first), _as_utc(last)))
    width = _bucket_width(last - first + _SECOND, most)
    start = _round_start(first, width)
    result: list[TimeBucket] = []
    while start <= last:
        if last - start < width:
            # The next start might be out of range for datetime.
            return (*result, TimeBucket(max(start, first), last))
        following = start + width
        result.append(TimeBucket(max(start, first), following - _SECOND))
        start = following
    return tuple(result)


async def _bound(source: OverviewSource, event_filter: EventFilter, *, newest: bool) -> datetime | None:
    given = event_filter.date_to if newest else event_filter.date_from
    if isinstance(given, datetime):
        return given
    return await source.end(event_filter, newest=newest)


async def _count_family(
    count: Callable[[EventFilter], Awaitable[int]], overview: Overview, event_filter: EventFilter
) -> tuple[int, ...]:
    # Empty buckets need no call.
    filled = [index for index, total in enumerate(overview.totals) if total]
    filters = ((index, overview.buckets[index].within(event_filter)) for index in filled)
    numbers = [0] * len(overview.totals)
    async for index, number in count_each(count, filters):
        numbers[index] = number
    return tuple(numbers)


def _with_system(overview: Overview) -> Overview:
    """The overview with the rest of each bucket as SYSTEM, whose types are not all known (wire §3)."""
    others = [numbers for family, numbers in overview.families.items() if family is not EventFamily.SYSTEM]
    rest = tuple(
        max(0, total - sum(one[index] for one in others)) for index, total in enumerate(overview.totals)
    )
    return replace(overview, families={**overview.families, EventFamily.SYSTEM: rest})


def _types_by_family(types: Iterable[str]) -> dict[EventFamily, tuple[str, ...]]:
    result: dict[EventFamily, tuple[str, ...]] = {}
    for name in types:
        family = family_of(name)
        if family is not EventFamily.SYSTEM:
            result[family] = (*result.get(family, ()), name)
    return result


def _bucket_width(length: timedelta, most: int) -> timedelta:
    # Round start times may need one bucket more.
    for width in _WIDTHS:
        if length <= width * (most - 1):
            return width
    return timedelta(days=-(-length // (timedelta(days=1) * (most - 1))))


def _as_utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError:  # at either end of what datetime can represent
        return time.replace(tzinfo=UTC)


def _round_start(first: datetime, width: timedelta) -> datetime:
    try:
        day = midnight(in_zone(first)).astimezone(UTC)
    except (OverflowError, ValueError):
        return first
    return day + (first - day) // width * width if width < timedelta(days=1) else day
