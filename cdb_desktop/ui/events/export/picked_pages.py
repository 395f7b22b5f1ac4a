"""Gives events that were chosen one by one as the pages of an export, with patience. Knows no table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cdb_desktop.client import Client, CsvOptions, Event
from cdb_desktop.events.export.record_pages import event_csv_page
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.browser.picked_events import picked_events
from cdb_desktop.ui.events.browser.retries import no_words


class PickedPages:
    """By ascending id; those that are gone by then are left out."""

    def __init__(self, client: Client, ids: Sequence[int], waits: Callable[[], None] = no_words) -> None:
        self._client = client
        self._ids = sorted(ids)
        self._waits = waits
        self._read: dict[int, Event] = {}
        self._turn = asyncio.Lock()  # a page that is fetched ahead waits for the one before

    async def fetch(self, offset: int) -> Sequence[Event]:
        """At most 1000 whole records from ``offset`` on. Raises ClientError."""
        async with self._turn:
            return await self._fetch(offset)

    async def _fetch(self, offset: int) -> Sequence[Event]:
        while missing := [one for one in self._wanted(offset) if one not in self._read]:
            async for found in picked_events(self._client, missing, self._waits):
                self._read |= {event.id: event for event in found}
            self._ids = [one for one in self._ids if one in self._read or one not in missing]
        wanted = self._wanted(offset)
        self._read = {one: self._read[one] for one in wanted}
        return [self._read[one] for one in wanted]

    async def fetch_csv(self, options: CsvOptions, offset: int) -> bytes:
        """The same as the service would write them. Raises ClientError."""
        events = await self.fetch(offset)
        return await asyncio.to_thread(event_csv_page, events, options, is_first=offset == 0)

    def _wanted(self, offset: int) -> Sequence[int]:
        return self._ids[offset : offset + PAGE_SIZE]
