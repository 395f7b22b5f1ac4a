"""Fetches the rows of an export page by page, and repeats calls while the service does not answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from cdb_desktop.client import Client, CsvOptions, Event, EventFilter, Sort
from cdb_desktop.events.export.csv_page import SpooledPage
from cdb_desktop.events.export.record_pages import event_csv_page
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.browser.event_requests import events_by_id, ignore_failure, with_retries

OLDEST_FIRST = (Sort("_id"),)


class CsvPages:
    """The service's CSV of all events that pass a filter, by ascending id.

    Large pages are kept as files in ``folder``. ``waits`` is called whenever the service does not answer.
    ``escape_formulas`` lets the service escape them if it can.
    """

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        options: CsvOptions,
        folder: Path,
        waits: Callable[[], None] = ignore_failure,
        *,
        escape_formulas: bool = False,
    ) -> None:
        self._client = client
        self._escape_formulas = escape_formulas
        self._filter = chosen
        self._options = options
        self._folder = folder
        self._waits = waits

    async def fetch(self, offset: int) -> SpooledPage:
        """At most 1000 rows from ``offset`` on, with a header. Raises ClientError, OSError."""
        return await with_retries(self._client, lambda: self._page(offset), self._waits)

    async def _page(self, offset: int) -> SpooledPage:
        # A byte order mark belongs at the beginning of a file only.
        options = self._options if offset == 0 else replace(self._options, use_bom=False)
        guard = self._escape_formulas and self._client.features.guards_csv
        page = SpooledPage(self._folder, has_formulas=not guard)
        await self._client.stream_csv(
            page.write, self._filter, options, sort=OLDEST_FIRST, limit=PAGE_SIZE, offset=offset, guard=guard
        )
        return page


class SelectedPages:
    """Events given by their ids, in ascending order; events deleted meanwhile are left out.

    ``waits`` is called whenever the service does not answer.
    """

    def __init__(
        self, client: Client, ids: Sequence[int], waits: Callable[[], None] = ignore_failure
    ) -> None:
        self._client = client
        self._ids = sorted(ids)
        self._waits = waits
        self._read: dict[int, Event] = {}
        self._lock = asyncio.Lock()  # prefetched pages are requested one at a time

    async def fetch(self, offset: int) -> Sequence[Event]:
        """At most 1000 whole records from ``offset`` on. Raises ClientError."""
        async with self._lock:
            while missing := [one for one in self._wanted(offset) if one not in self._read]:
                async for found in events_by_id(self._client, missing, self._waits):
                    self._read |= {event.id: event for event in found}
                self._ids = [one for one in self._ids if one in self._read or one not in missing]
            self._read = {one: self._read[one] for one in self._wanted(offset)}
            return list(self._read.values())

    async def fetch_csv(self, options: CsvOptions, offset: int) -> bytes:
        """The same rows as the CSV that the service would write. Raises ClientError."""
        events = await self.fetch(offset)
        return await asyncio.to_thread(event_csv_page, events, options, is_first=offset == 0)

    def _wanted(self, offset: int) -> Sequence[int]:
        return self._ids[offset : offset + PAGE_SIZE]
