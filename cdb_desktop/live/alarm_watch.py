"""Evaluates alarms while events arrive: the loop that the window and `cdb-desktop watch` have in common.

New events are read from the list, ascending by id and without gaps, however many have been added (§4.3).
Polls would miss what is not pollable, and what happened while nobody polled (§4.2).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Client, ClientError, Event, EventPage, Sort
from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.client.errors import TEMPORARY
from cdb_desktop.live.alarm_rules import Alarm, AlarmState, ViewAlarm
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.time_span import TimeSpan

_LATE = 1.0  # seconds after which an event is certainly visible
_PAUSE = 0.3  # seconds between two readings of the list, however much happens
_SLICE = 0.005  # seconds of testing after which other work may continue


class AlarmBatch(msgspec.Struct, frozen=True):
    """The alarms of the events up to ``last_id``, with the states after them."""

    alarms: tuple[Alarm, ...]
    last_id: int
    states: Mapping[str, AlarmState]
    is_complete: bool  # there was no newer event


class EventSource(Protocol):
    """Where new events come from, each once and by ascending id."""

    async def read(self) -> TailBatch: ...


class PolledEvents:
    """Events that a `LogFollower` has polled, for sessions that may not read the list (§5.2)."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[TailBatch | ClientError] = asyncio.Queue()

    def add(self, events: Sequence[Event]) -> None:
        """Adds the events of a poll, or none, which shows that nothing has happened."""
        self._waiting.put_nowait(TailBatch(tuple(events), is_complete=True, moment=time.time()))

    def fail(self, error: ClientError) -> None:
        """Ends the events: polls are refused."""
        self._waiting.put_nowait(error)

    async def read(self) -> TailBatch:
        """The events of the next poll. Raises ClientError."""
        found = await self._waiting.get()
        if isinstance(found, ClientError):
            raise found
        return found


class AlarmWatch:
    """Reads events and evaluates alarms.

    ``deliver`` gets the alarms of each batch of events; what has been delivered is not evaluated again.
    ``report`` gets the error when the service does not answer, and None with the first answer after that.
    """

    def __init__(
        self,
        client: Client,
        source: EventSource,
        deliver: Callable[[AlarmBatch], None],
        report: Callable[[ClientError | None], None],
        interval: float = 1.0,
    ) -> None:
        """``interval`` is the number of seconds between two readings of the list."""
        self._client, self._source = client, source
        self._deliver, self._report = deliver, report
        self.interval = interval
        self._wake = asyncio.Event()
        self.alarms: tuple[ViewAlarm, ...] = ()
        self._batch: TailBatch | None = None  # which has been read and not been delivered
        self.last_id = 0  # before the first event of a source that does not know its position
        self._failures = 0  # in a row
        self._skew: float | None = None  # seconds by which the clock of the service is ahead

    async def run(self) -> None:
        """Runs until it is cancelled. Raises ClientError if the service refuses to answer.

        It can run again after that, and continues where it has ended.
        """
        while True:
            try:
                await self._step()
            except TEMPORARY as error:
                if not self._failures:
                    self._report(error)
                await asyncio.sleep(max(retry_pause(self._failures), self._client.pause))
                self._failures += 1

    async def _step(self) -> None:
        await self.service_time()
        source = self._source
        if isinstance(source, EventTail):
            source.whole = self._client.capabilities.full_list and any(one.needs_whole for one in self.alarms)
        batch = self._batch = self._batch or await source.read()
        members = await self._members(batch.events)
        if self._failures:
            self._failures = 0
            self._report(None)
        alarms = await self._evaluate(batch.events, members)
        if batch.is_complete:
            alarms += filter(
                None, [one.tick(batch.moment + (self._skew or 0.0) - _LATE) for one in self.alarms]
            )
        if batch.events:
            self.last_id = batch.events[-1].id
        elif isinstance(source, EventTail):
            self.last_id = source.last_id or 0
        self._batch = None
        states = {one.rule.view: replace(one.state, times=[*one.state.times]) for one in self.alarms}
        self._deliver(AlarmBatch(tuple(alarms), self.last_id, states, batch.is_complete))
        if batch.is_complete and isinstance(source, EventTail):
            await self._pause()

    def wake(self) -> None:
        """Reads the list soon: something has happened."""
        self._wake.set()

    async def _pause(self) -> None:
        pause = min(_PAUSE, self.interval)
        await asyncio.sleep(pause)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.interval - pause):
                await self._wake.wait()
        self._wake.clear()

    @property
    def now(self) -> float:
        """The time at the service as far as it is known, which it is after `service_time`."""
        return time.time() + (self._skew or 0.0)

    async def service_time(self) -> float:
        """The time at the service in seconds since 1970, or here if it does not tell. Raises ClientError."""
        if self._skew is None:
            sent = time.time()
            found = (await self._client.settings()).server_time
            self._skew = 0.0 if found is None else found.timestamp() - (sent + time.time()) / 2
        return self.now

    async def _members(self, events: Sequence[Event]) -> dict[str, frozenset[int]]:
        """The ids of events that only the service can tell to be included, by view."""
        if not events:
            return {}
        return {
            one.rule.view: await ids_of(self._client, one.query, events)
            for one in self.alarms
            if one.needs_service
        }

    async def _evaluate(self, events: Sequence[Event], members: Mapping[str, frozenset[int]]) -> list[Alarm]:
        found: list[Alarm] = []
        started, now = time.perf_counter(), self.now
        alarms = [(one, members.get(one.rule.view)) for one in self.alarms]
        for event in events:
            for one, ids in alarms:
                if ids is None or event.id in ids:
                    alarm = one.take(event, now)
                    if alarm is not None:
                        found.append(alarm)
            if time.perf_counter() - started > _SLICE:
                await asyncio.sleep(0)
                started = time.perf_counter()
        return found


_PAGE = 1000  # the largest page (§8)
_FIRST_PAGE = 100  # events; usually few are new
_ASCENDING = (Sort("_id"),)


class TailBatch(msgspec.Struct, frozen=True):
    """New events by ascending id.

    ``is_complete``: there was none after them at ``moment``, in seconds since 1970 of this computer's clock.
    """

    events: tuple[Event, ...]
    is_complete: bool
    moment: float


class EventTail:
    """The end of the log behind the event ``last_id``; None means that it begins with the next event."""

    def __init__(self, client: Client, last_id: int | None = None) -> None:
        self._client = client
        self._offset: int | None = None  # of the event ``last_id`` in ascending order, while far behind
        self.last_id = last_id
        self.whole = False  # whether records with all fields are read

    async def begin(self) -> int:
        """Returns ``last_id``, which is that of the newest event if it is None. Raises ClientError."""
        if self.last_id is None:
            newest = await self._client.list_events(limit=1, skip_count=self._skips_count)
            self.last_id = max((event.id for event in newest.events), default=0)
        return self.last_id

    async def read(self) -> TailBatch:
        """The next events, at most 1000; the next call reads those after them. Raises ClientError."""
        last, moment = await self.begin(), time.time()
        if self._offset is None:
            page = await self._page(_FIRST_PAGE, 0)
            if _reaches(page, last, _FIRST_PAGE):
                return self._take(page, moment, is_complete=True)
        return await self._read_ahead(last, moment)

    async def _read_ahead(self, last: int, moment: float) -> TailBatch:
        """The events after ``last`` in ascending order, in which new events do not move the others."""
        offset = self._offset
        if offset is None:
            offset = max(0, await self._number_up_to(last) - 1)
        page = await self._page(_PAGE, offset, ascending=True)
        first = min((event.id for event in page.events), default=last)
        if offset and first > last:
            # The page begins with the last event that was read, unless events before it have been deleted.
            self._offset = None
            offset = max(0, await self._number_up_to(last) - 1)
            page = await self._page(_PAGE, offset, ascending=True)
            first = min((event.id for event in page.events), default=last)
            if offset and first > last:
                return TailBatch(
                    (), is_complete=False, moment=moment
                )  # more have been deleted: again with the next call
        number = len(page.records)
        ends = number < _PAGE
        self._offset = None if ends else offset + number - 1
        # The end is read again, newest first: a service may return fewer events than requested.
        return self._take(page, moment, is_complete=False)

    async def _number_up_to(self, last: int) -> int:
        """How many events have ids up to ``last``, found by bisection."""
        low, high = 0, (await self._client.list_events(limit=1)).count or 0
        while low < high:
            middle = (low + high) // 2
            page = await self._page(1, middle, ascending=True)
            if page.events and page.events[0].id <= last:
                low = middle + 1
            else:
                high = middle
        return low

    async def _page(self, limit: int, offset: int, *, ascending: bool = False) -> EventPage:
        return await self._client.list_events(
            sort=_ASCENDING if ascending else (),
            limit=limit,
            offset=offset,
            full=self.whole,
            skip_count=self._skips_count,
        )

    @property
    def _skips_count(self) -> bool:
        return self._client.capabilities.skip_count

    def _take(self, page: EventPage, moment: float, *, is_complete: bool) -> TailBatch:
        last = self.last_id or 0
        events = sorted((event for event in page.events if event.id > last), key=lambda event: event.id)
        if events:
            self.last_id = events[-1].id
        return TailBatch(tuple(events), is_complete, moment)


async def ids_of(client: Client, query: Query, events: Sequence[Event]) -> frozenset[int]:
    """The ids of those of ``events`` that the service lists for a query, conditions aside (§4.3 rule 1).

    ``events`` are ordered by id. Raises ClientError.
    """
    times = [event.timestamp for event in events if event.timestamp is not None]
    if not times:
        return frozenset()
    span = TimeSpan(first=min(times), last=max(times))
    chosen = replace(query, span=span).at(times[0]).filter
    found: set[int] = set()
    offset = 0
    while True:
        page = await client.list_events(
            chosen, limit=_PAGE, offset=offset, skip_count=client.capabilities.skip_count
        )
        new = {event.id for event in page.events} - found
        found |= new
        # A service may return fewer events than requested: only a page without new ones is the last.
        if not new or min(new) <= events[0].id:
            return frozenset(found)
        offset += max(1, len(page.records) - 1)


def _reaches(page: EventPage, last: int, limit: int) -> bool:
    """Whether a page, newest first, contains all events after ``last``."""
    return len(page.records) < limit or any(event.id <= last for event in page.events)
