"""Counts events: many filters concurrently, and the events that are newer than a result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from itertools import islice
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import QueryResult

Count = Callable[[EventFilter], Awaitable[int]]
Key = TypeVar("Key")
Answer = TypeVar("Answer")

CONCURRENT_CALLS = 3  # at most four are under way with one that the user waits for
MAX_NEWER = 100  # newer events that are counted exactly


async def count_each(
    count: Count, filters: Iterable[tuple[Key, EventFilter]]
) -> AsyncGenerator[tuple[Key, int], None]:
    """The number of events of each filter, in the order of ``filters``. Raises what ``count`` raises."""
    async with aclosing(call_each(lambda pair: count(pair[1]), filters)) as numbers:
        async for (key, _filter), number in numbers:
            yield key, number


async def call_each(
    call: Callable[[Key], Awaitable[Answer]], keys: Iterable[Key], at_once: int = CONCURRENT_CALLS
) -> AsyncGenerator[tuple[Key, Answer], None]:
    """The answer for each key, in their order; ``at_once`` calls at a time. Raises what ``call`` raises.

    The calls under way are cancelled when the generator is closed or cancelled.
    """
    waiting = iter(keys)
    running: list[tuple[Key, asyncio.Future[Answer]]] = []
    try:
        while True:
            following = islice(waiting, at_once - len(running))
            running += ((key, asyncio.ensure_future(call(key))) for key in following)
            if not running:
                return
            key, task = running.pop(0)
            found = await task
            yield key, found
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
