"""Fetches a listing as pages of CSV by ascending id, with patience for a service that is away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from cdb_desktop.client import Client, CsvOptions, EventFilter, Sort
from cdb_desktop.events.export.csv_page import SpooledPage
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.browser.retries import no_words, patiently

_OLDEST_FIRST = (Sort("_id"),)


class CsvPages:
    """Pages of one listing, which go to files in ``folder`` where they are large.

    ``waits`` is called whenever the service does not answer.
    """

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        options: CsvOptions,
        folder: Path,
        waits: Callable[[], None] = no_words,
    ) -> None:
        self._client = client
        self._filter = chosen
        self._options = options
        self._folder = folder
        self._waits = waits

    async def fetch(self, offset: int) -> SpooledPage:
        """At most 1000 rows from ``offset`` on, with a header. Raises ClientError, OSError."""
        return await patiently(self._client, lambda: self._page(offset), self._waits)

    async def _page(self, offset: int) -> SpooledPage:
        # A byte order mark stands at the beginning of a file and nowhere else.
        options = self._options if offset == 0 else replace(self._options, use_bom=False)
        page = SpooledPage(self._folder)
        await self._client.stream_csv(
            page.write, self._filter, options, sort=_OLDEST_FIRST, limit=PAGE_SIZE, offset=offset
        )
        return page
