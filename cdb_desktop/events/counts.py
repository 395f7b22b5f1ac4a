"""Counts events: many filters concurrently, and the events that are newer than a result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import QueryResult

Count = Callable[[EventFilter], Awaitable[int]]
Key = TypeVar("Key")

CONCURRENT_CALLS = 2  # more would delay the calls that the user waits for
MAX_NEWER = 100  # newer events that are counted exactly


async def count_each(
    count: Count, filters: Iterable[tuple[Key, EventFilter]], at_once: int = CONCURRENT_CALLS
) -> AsyncGenerator[tuple[Key, int], None]:
    """The number of events of each filter, in the order of ``filters``. Raises what ``count`` raises.

    The calls under way are cancelled when the generator is closed or cancelled.
    """
    waiting = iter(filters)
    running: list[tuple[Key, asyncio.Task[int]]] = []

    def fill() -> None:
        while len(running) < at_once:
            following = next(waiting, None)
            if following is None:
                return
            key, event_filter = following
            running.append((key, asyncio.ensure_future(_number(count, event_filter))))

    try:
        fill()
        while running:
            key, task = running.pop(0)
            number = await _result(task)
            fill()
            yield key, number
    finally:
        for _key, task in running:
            task.cancel()
        await asyncio.gather(*(task for _key, task in running), return_exceptions=True)


class NewerCount(msgspec.Struct, frozen=True):
    """The number of newer events; there are more if it is not exact."""

    number: int
    is_exact: bool = True


def newer_filter(result: QueryResult, current: EventFilter) -> EventFilter | None:
    """A filter for the events that are newer than ``result``, None if there can be none that count.

    ``current`` is the query's filter, resolved now. A result ends at a time (§4.3), in whole seconds: older
    events are excluded by date, those of that very second by id in `count_newer`.
    """
    if result.newest is None:
        return None if result.rows else current
    since = result.resolved_query.filter.date_to
    if since is None or (current.date_from is not None and current.date_from > since):
        return current
    return replace(current, date_from=since)


def count_newer(result: QueryResult, newest_first: Sequence[Record]) -> NewerCount:
    """Counts the newer events among the first MAX_NEWER records of `newer_filter`."""
    known = result.newest or 0
    number = sum(1 for one in newest_first if isinstance(one, Event) and one.id > known)
    if number == MAX_NEWER:
        return NewerCount(number - 1, is_exact=False)
    has_older = any(isinstance(one, Event) and one.id <= known for one in newest_first)
    return NewerCount(number, is_exact=has_older or len(newest_first) < MAX_NEWER)


async def _number(count: Count, event_filter: EventFilter) -> int:
    return await count(event_filter)


async def _result(task: asyncio.Task[int]) -> int:
    try:
        return await task
    except asyncio.CancelledError:
        task.cancel()
        raise
