"""Counts many slices of the log at a time, a few calls side by side. Knows no service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

from cdb_desktop.client import EventFilter

Count = Callable[[EventFilter], Awaitable[int]]
Key = TypeVar("Key")

AT_ONCE = 2  # calls: more would hold up what somebody waits for


async def counted(
    count: Count, slices: Iterable[tuple[Key, EventFilter]], at_once: int = AT_ONCE
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
