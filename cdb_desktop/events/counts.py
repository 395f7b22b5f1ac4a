"""What has come since a result was made: what to ask for it, and how to count the answer. No I/O."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import QueryResult

MAX_NEWER = 100  # events that are counted; beyond it the exact number tells nobody more


class NewerCount(msgspec.Struct, frozen=True):
    """The number of newer events; where it is not exact there are even more."""

    number: int
    is_exact: bool = True


def newer_filter(result: QueryResult, asked: EventFilter) -> EventFilter | None:
    """What only newer events and those of the same moment pass; None where there can be none that count.

    ``asked`` is the query's filter as it would be asked at present. Rows end at a moment (§4.3), which is
    why those of before are left out by date and those of that very moment by id.
    """
    if result.newest is None:
        return None if result.rows else asked
    since = result.listing.filter.date_to
    if since is None or (asked.date_from is not None and asked.date_from > since):
        return asked
    return replace(asked, date_from=since)


def count_newer(result: QueryResult, newest_first: Sequence[Record]) -> NewerCount:
    """Counts the answer, of which at most MOST records were asked for; what cannot be read does not count."""
    known = result.newest or 0
    number = sum(1 for one in newest_first if isinstance(one, Event) and one.id > known)
    if number == MAX_NEWER:
        return NewerCount(number - 1, is_exact=False)
    has_older = any(isinstance(one, Event) and one.id <= known for one in newest_first)
    return NewerCount(number, is_exact=has_older or len(newest_first) < MAX_NEWER)


Count = Callable[[EventFilter], Awaitable[int]]
Key = TypeVar("Key")

CONCURRENT_CALLS = 2  # calls: more would hold up what somebody waits for


async def count_each(
    count: Count, slices: Iterable[tuple[Key, EventFilter]], at_once: int = CONCURRENT_CALLS
) -> AsyncGenerator[tuple[Key, int], None]:
    """The number of events in each slice, in the order of ``slices``; raises what ``count`` raises.

    Whoever stops listening, or is cancelled, ends the calls under way.
    """
    waiting = iter(slices)
    running: list[tuple[Key, asyncio.Task[int]]] = []

    def fill() -> None:
        while len(running) < at_once:
            following = next(waiting, None)
            if following is None:
                return
            key, chosen = following
            running.append((key, asyncio.ensure_future(_number(count, chosen))))

    try:
        fill()
        while running:
            key, task = running.pop(0)
            number = await _of(task)
            fill()
            yield key, number
    finally:
        for _key, task in running:
            task.cancel()
        await asyncio.gather(*(task for _key, task in running), return_exceptions=True)


async def _number(count: Count, chosen: EventFilter) -> int:
    return await count(chosen)


async def _of(task: asyncio.Task[int]) -> int:
    try:
        return await task
    except asyncio.CancelledError:
        task.cancel()
        raise
