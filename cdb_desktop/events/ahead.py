"""Asks for the page that comes next while somebody still works on the last one. Knows no service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Ahead(Generic[Answer]):
    """Pages of ``fetch``, at most one of them before it is wanted."""

    def __init__(self, fetch: Callable[[int], Awaitable[Answer]]) -> None:
        self._fetch = fetch
        self._offset = 0
        self._task: asyncio.Future[Answer] | None = None

    def expect(self, offset: int) -> None:
        """Begins to fetch what will be wanted next."""
        self.cancel()
        self._offset = offset
        self._task = asyncio.ensure_future(self._fetch(offset))
        self._task.add_done_callback(_look)

    async def page(self, offset: int) -> Answer:
        """The page from ``offset`` on. Raises what ``fetch`` raises."""
        if self._task is None or self._offset != offset:
            self.cancel()
            return await self._fetch(offset)
        task, self._task = self._task, None
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    def cancel(self) -> None:
        """What was expected is not wanted; to be called at the end, however it comes."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


def _look(task: asyncio.Future[Answer]) -> None:
    # Whoever wants the page is told of its failure; of one that nobody wants nothing need be said.
    if not task.cancelled():
        task.exception()
