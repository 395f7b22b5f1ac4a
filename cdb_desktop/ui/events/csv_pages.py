"""Fetches a listing as pages of CSV by ascending id, with patience for a service that is away."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from cdb_desktop.client import Client, CsvOptions, EventFilter, Sort
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.pages import PAGE
from cdb_desktop.ui.events.retries import no_words, patiently

_OLDEST_FIRST = (Sort("_id"),)


class CsvPages:
    """Pages of one listing; ``waits`` is called whenever the service does not answer."""

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        options: CsvOptions,
        waits: Callable[[], None] = no_words,
    ) -> None:
        self._client = client
        self._filter = chosen
        self._options = options
        self._waits = waits

    async def fetch(self, offset: int) -> bytes:
        """At most 1000 rows from ``offset`` on, with a header. Raises ClientError."""
        return await patiently(self._client, lambda: self._page(offset), self._waits)

    async def _page(self, offset: int) -> bytes:
        # A byte order mark stands at the beginning of a file and nowhere else.
        options = self._options if offset == 0 else replace(self._options, use_bom=False)
        page = await self._client.list_csv(
            self._filter, options, sort=_OLDEST_FIRST, limit=PAGE, offset=offset
        )
        session = self._client.session
        return page.replace(session.token.encode(), MASK.encode()) if session and session.token else page
