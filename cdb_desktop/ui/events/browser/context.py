"""What the controllers of the event browser's features share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime

import msgspec

from cdb_desktop.client import Client, EventFilter, EventPage, Record, Sort
from cdb_desktop.events.counts import CONCURRENT_CALLS
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import NEWEST_FIRST
from cdb_desktop.ui.events.browser.event_requests import count_events, with_retries
from cdb_desktop.ui.events.browser.rows import ResultRows
from cdb_desktop.ui.events.browser.unfinished_work import UnfinishedWork
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Tasks

_SPARE = 100  # records to search for a time if that of the first cannot be read
_STILL = 0.3  # seconds


class BrowserContext(msgspec.Struct, frozen=True):
    """Passed to the controllers of the features.

    ``unfinished`` is the journal of long jobs.
    """

    view: BrowserView
    client: Client
    rows: ResultRows
    tasks: Tasks
    unfinished: UnfinishedWork


class BackgroundReader:
    """Requests for counts and names, which wait while rows are loaded or scrolled; only few at a time."""

    def __init__(self, context: BrowserContext) -> None:
        """Sends no requests while rows are loaded or scrolled, which have priority."""
        self._client, self._rows = context.client, context.rows
        self._seen = context.view.seen
        self._moved = -_STILL
        self._places = asyncio.Semaphore(CONCURRENT_CALLS)
        context.view.table.verticalScrollBar().valueChanged.connect(self._move)

    def _move(self) -> None:
        self._moved = time.monotonic()

    async def count(self, chosen: EventFilter) -> int:
        """The number of events. Raises ClientError."""
        async with self._places:
            await self._wait_until_idle()
            return await count_events(self._client, chosen) or 0

    async def records(self, chosen: EventFilter, offset: int, limit: int = PAGE_SIZE) -> Sequence[Record]:
        """Short records by id from ``offset`` on; their users become known values. Raises ClientError."""
        async with self._places:
            await self._wait_until_idle()
            page = await with_retries(self._client, lambda: self._listed(chosen, offset, limit))
        self._seen.add(page.events)
        return page.records

    async def _listed(self, chosen: EventFilter, offset: int, limit: int) -> EventPage:
        return await self._client.list_events(
            chosen, sort=(NEWEST_FIRST,), limit=limit, offset=offset, skip_count=True
        )

    async def _wait_until_idle(self) -> None:
        while self._is_busy:  # noqa: ASYNC110  # each scroll restarts the wait
            await asyncio.sleep(_STILL)

    @property
    def _is_busy(self) -> bool:
        return self._rows.are_awaited or time.monotonic() - self._moved < _STILL

    async def end(self, chosen: EventFilter, *, newest: bool) -> datetime | None:
        """The time of the newest or the oldest event, None if no event matches. Raises ClientError."""
        sort = (Sort("timestamp", newest),)
        for limit in (1, _SPARE):
            async with self._places:
                await self._wait_until_idle()
                page = await self._client.list_events(chosen, sort=sort, limit=limit, skip_count=True)
            moment = next((event.timestamp for event in page.events if event.timestamp is not None), None)
            if moment is not None or len(page.records) < limit:
                break
        return moment
