"""Tests of time buckets and of counting an overview."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.counts import CONCURRENT_CALLS, count_each
from cdb_desktop.events.overview import (
    MAX_BUCKETS,
    Overview,
    count_before,
    count_families,
    count_overview,
    overview_of,
    time_buckets,
)
from cdb_desktop.vocabulary.event_types import EventFamily
from cdb_desktop.vocabulary.time_span import TimePreset
from cdb_desktop.vocabulary.times import Zone, choose_zone, chosen_zone

START = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = ("SEARCH", "OBJECT_UPDATE", "OBJECT_DELETE", "USER_LOGIN")
SECOND = timedelta(seconds=1)


class Log:
    """Events every ten minutes of thirty days, with each type in turn, one of them unknown."""

    def __init__(self) -> None:
        kinds = (*TYPES, "NOBODY_KNOWS")
        self.events = [(START + timedelta(minutes=10 * n), kinds[n % 5]) for n in range(30 * 144)]
        self.running = self.most = self.calls = 0

    async def count(self, chosen: EventFilter) -> int:
        self.calls += 1
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        return sum(self._passes(chosen, *one) for one in self.events)

    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None:
        moments = [moment for moment, kind in self.events if self._passes(chosen, moment, kind)]
        return (max if newest else min)(moments, default=None)

    def _passes(self, chosen: EventFilter, moment: datetime, kind: str) -> bool:
        first, last = chosen.date_from, chosen.date_to
        assert first is None or isinstance(first, datetime)
        assert last is None or isinstance(last, datetime)
        in_time = (first is None or moment >= first) and (last is None or moment <= last)
        return in_time and (not chosen.type or kind in chosen.type)


def _ignore_report(_overview: Overview, _part: float) -> None:
    pass


@given(st.integers(0, 10**9), st.integers(1, MAX_BUCKETS))
def test_buckets_cover_every_second_once(length: int, most: int) -> None:
    """This holds for any interval, and the number of buckets is limited."""
    last = START + timedelta(seconds=length)
    found = time_buckets(START, last, max(2, most))
    assert (found[0].first, found[-1].last) == (START, last)
    assert len(found) <= max(2, most)
    assert all(one.last + SECOND == two.first for one, two in pairwise(found))


async def test_an_overview_adds_up() -> None:
    """Every event is in a bucket, every bucket is the sum of its families; unknown types are the system's."""
    log, overviews, parts = Log(), list[Overview](), list[float]()

    def report(overview: Overview, part: float) -> None:
        overviews.append(overview)
        parts.append(part)

    totals = await count_overview(log, EventFilter(), 20, report)
    assert len(totals.buckets) == len(totals.totals) == log.calls <= 20
    assert totals.is_counted
    assert sum(totals.totals) == len(log.events)
    assert [len(one.totals) for one in overviews[:5]] == [1, 2, 3, 4, 5]
    assert parts == sorted(parts)
    assert (parts[0], parts[-1]) == (1 / len(totals.buckets), 1)
    assert not totals.families
    found = await count_families(log, EventFilter(), totals, TYPES, report)
    for place, total in enumerate(found.totals):
        assert sum(number for _family, number in found.parts(place)) == total
    assert sum(found.families[EventFamily.SYSTEM]) == len(log.events) // 5
    assert log.most <= CONCURRENT_CALLS < 4


async def test_filters_of_the_query_apply() -> None:
    """Set dates are the ends, and chosen types are the only ones."""
    first = START + timedelta(days=3)
    chosen = EventFilter(type=("SEARCH",), date_from=first, date_to=first + timedelta(days=2))
    found = await count_overview(Log(), chosen, 16, _ignore_report)
    assert (found.buckets[0].first, found.buckets[-1].last) == (first, first + timedelta(days=2))
    found = await count_families(Log(), chosen, found, TYPES, _ignore_report)
    assert set(found.families) == {EventFamily.READING, EventFamily.SYSTEM}
    assert sum(found.families[EventFamily.READING]) == sum(found.totals) > 0


async def test_a_complete_result_needs_no_call() -> None:
    """The overview is the same as if the service had counted; its ends are the dates of the query."""
    log = Log()
    counted_there = await count_overview(log, EventFilter(), MAX_BUCKETS, _ignore_report)
    counted_there = await count_families(log, EventFilter(), counted_there, TYPES, _ignore_report)
    events = [Event(id=n, timestamp=when, type=kind) for n, (when, kind) in enumerate(log.events)]
    assert overview_of(events) == counted_there
    assert overview_of([Event(id=1)]) == overview_of([]) == Overview()
    ends = START - timedelta(days=4), START + timedelta(days=40)
    wide = overview_of(events, *ends)
    assert (wide.buckets[0].first, wide.buckets[-1].last) == ends
    assert sum(wide.totals) == len(log.events)


@pytest.mark.parametrize("preset", [TimePreset.LAST_WEEK, TimePreset.WEEK, None])
async def test_the_period_before_is_counted_in_groups(preset: TimePreset | None) -> None:
    """All of its events in few calls, in the same steps as the buckets."""
    log, first, week = Log(), START + timedelta(days=11), timedelta(days=7)
    chosen = EventFilter(date_from=first, date_to=first + week - SECOND)
    found = await count_overview(log, chosen, 30, _ignore_report)
    log.calls = 0
    before = (await count_before(log, chosen, found, preset, 6)).before
    assert before is not None
    assert log.calls == len(before.numbers) <= 6
    assert before.total == sum(first - week <= moment < first for moment, _kind in log.events)
    assert before.numbers[0] == sum(found.totals[: before.group])


async def test_an_empty_result_has_no_buckets() -> None:
    """Nothing is counted."""
    log = Log()
    assert await count_overview(log, EventFilter(type=("NONE",)), 16, _ignore_report) == Overview()
    assert log.calls == 0


async def test_counting_can_be_cancelled() -> None:
    """Running calls are cancelled, and a failed call raises its error."""
    ended: list[str] = []

    async def slow(chosen: EventFilter) -> int:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append(chosen.type[0])
            raise
        return 1

    async def count_all() -> None:
        async for _key, _number in count_each(slow, [(n, EventFilter(type=(str(n),))) for n in range(9)]):
            pass

    task = asyncio.create_task(count_all())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(ended) == [str(n) for n in range(CONCURRENT_CALLS)]

    async def broken(_chosen: EventFilter) -> int:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        _ = [one async for one in count_each(broken, [(1, EventFilter())])]


@pytest.mark.parametrize("zone", ["utc", "local"])
@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-14:00"]
)
def test_a_time_at_the_end_of_the_calendar_is_counted(text: str, zone: Zone) -> None:
    """A service may send it for an unknown time."""
    before = chosen_zone()
    choose_zone(zone)
    try:
        moments = [datetime.fromisoformat(text), datetime(2026, 5, 6, 12, tzinfo=UTC)]
        for several in (moments, moments[:1]):
            found = overview_of([Event(id=1, type="SEARCH", timestamp=one) for one in several])
            assert sum(found.totals) == len(several)
    finally:
        choose_zone(before)
