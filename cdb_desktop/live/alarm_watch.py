"""Evaluates alarms while events arrive: the loop that the window and `cdb-desktop watch` have in common."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    ServerError,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.live.alarm_rules import Alarm, AlarmState, ViewAlarm
from cdb_desktop.live.event_tail import EventTail, TailBatch, ids_of

TEMPORARY = (UnreachableError, SlowAnswerError, ServerError, AnswerError)  # the next call may succeed
_LATE = 1.0  # seconds after which an event is certainly visible
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
            source.whole = self._client.features.full_list and any(one.needs_whole for one in self.alarms)
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
            await asyncio.sleep(self.interval)

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
