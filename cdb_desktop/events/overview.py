"""How the events of a whole result spread over time, counted by the service. Knows no service."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.buckets import Bucket, buckets
from cdb_desktop.events.counting import counted
from cdb_desktop.vocabulary.event_types import EventFamily, family_of


class Source(Protocol):
    """What is asked of the service; all of it may raise what a call raises."""

    async def count(self, chosen: EventFilter) -> int: ...
    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None: ...


class Overview(msgspec.Struct, frozen=True):
    """Buckets with what has been counted so far.

    ``totals`` are as many as have been counted; ``families`` hold a number for each bucket and each family
    that occurs. The family SYSTEM also holds what belongs to no type that is known.
    """

    buckets: tuple[Bucket, ...] = ()
    totals: tuple[int, ...] = ()
    families: Mapping[EventFamily, tuple[int, ...]] = {}

    @property
    def highest(self) -> int:
        """The number of events in the fullest bucket."""
        return max(self.totals, default=0)

    def parts(self, place: int) -> list[tuple[EventFamily, int]]:
        """What a bucket holds, in the order of the families; what is not told apart yet is left out."""
        counts = ((family, self.families.get(family, ())) for family in EventFamily)
        return [(family, found[place]) for family, found in counts if place < len(found) and found[place]]


Tell = Callable[[Overview, float], None]


async def count_overview(source: Source, chosen: EventFilter, types: Iterable[str], tell: Tell) -> Overview:
    """Counts the buckets of a filter, then their families; ``tell`` gets each step and its part of the whole.

    ``types`` are those that are known. Raises what ``source`` raises.
    """
    first, last = [await _bound(source, chosen, newest=newest) for newest in (False, True)]
    if first is None or last is None:
        return Overview()
    result = Overview(buckets(first, last))
    known = _by_family(chosen.type or types)
    rounds = (1 + len(known)) * len(result.buckets)  # at most: not every family need occur
    async for _place, number in counted(source.count, ((b, b.of(chosen)) for b in result.buckets)):
        result = replace(result, totals=(*result.totals, number))
        tell(result, len(result.totals) / rounds)
    present = [family async for family, number in counted(source.count, _slices(chosen, known)) if number]
    for turn, family in enumerate(present, start=2):
        found = await _family_counts(source.count, result, replace(chosen, type=known[family]))
        result = replace(result, families={**result.families, family: found})
        tell(_completed(result) if family is present[-1] else result, turn / (1 + len(present)))
    return _completed(result)


def overview_of(events: Sequence[Event]) -> Overview:
    """The same of events that are all here, which takes no call."""
    moments = [event.timestamp for event in events if event.timestamp is not None]
    if not moments:
        return Overview()
    found = buckets(min(moments), max(moments))
    starts = [bucket.first for bucket in found]
    counts = {family: [0] * len(found) for family in EventFamily}
    for event in events:
        if event.timestamp is not None:
            counts[family_of(event.type)][max(0, bisect_right(starts, event.timestamp) - 1)] += 1
    totals = tuple(map(sum, zip(*counts.values(), strict=True)))
    families = {family: tuple(numbers) for family, numbers in counts.items() if any(numbers)}
    return Overview(found, totals, families)


async def _bound(source: Source, chosen: EventFilter, *, newest: bool) -> datetime | None:
    given = chosen.date_to if newest else chosen.date_from
    if isinstance(given, datetime):
        return given
    return await source.end(chosen, newest=newest)


async def _family_counts(
    count: Callable[[EventFilter], Awaitable[int]], overview: Overview, chosen: EventFilter
) -> tuple[int, ...]:
    # Where there is nothing at all there is nothing of a family either.
    filled = [place for place, total in enumerate(overview.totals) if total]
    slices = ((place, overview.buckets[place].of(chosen)) for place in filled)
    numbers = [0] * len(overview.totals)
    async for place, number in counted(count, slices):
        numbers[place] = number
    return tuple(numbers)


def _completed(overview: Overview) -> Overview:
    """What no other family holds is the system's: its types are those that nobody knows (wire §3)."""
    others = [numbers for family, numbers in overview.families.items() if family is not EventFamily.SYSTEM]
    rest = tuple(
        max(0, total - sum(one[place] for one in others)) for place, total in enumerate(overview.totals)
    )
    return replace(overview, families={**overview.families, EventFamily.SYSTEM: rest})


def _slices(
    chosen: EventFilter, known: Mapping[EventFamily, Sequence[str]]
) -> list[tuple[EventFamily, EventFilter]]:
    return [(family, replace(chosen, type=tuple(types))) for family, types in known.items()]


def _by_family(types: Iterable[str]) -> dict[EventFamily, tuple[str, ...]]:
    result: dict[EventFamily, tuple[str, ...]] = {}
    for name in types:
        family = family_of(name)
        if family is not EventFamily.SYSTEM:
            result[family] = (*result.get(family, ()), name)
    return result
