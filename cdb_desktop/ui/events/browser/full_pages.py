"""Fetches whole events of a listing page by page, with patience for a service that is away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cdb_desktop.client import (
    Client,
    Event,
    EventFilter,
    EventPage,
    NotFoundError,
    Record,
    Sort,
)
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.browser.retries import no_words, patiently

_AT_ONCE = 4  # calls


class FullPages:
    """Pages by id of one listing; ``waits`` is called whenever the service does not answer.

    ``short`` records come much faster; ``endless`` is the patience of whoever has a way to stop it.
    """

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        *,
        descending: bool = False,
        waits: Callable[[], None] = no_words,
        short: bool = False,
        endless: bool = False,
    ) -> None:
        self._client = client
        self._short, self._endless = short, endless
        self._filter = chosen
        self._sort = (Sort("_id", descending),)
        self._waits = waits

    async def fetch(self, offset: int) -> Sequence[Record]:
        """At most 1000 records from ``offset`` on, with info unless short. Raises ClientError."""
        return await patiently(self._client, lambda: self._page(offset), self._waits, endless=self._endless)

    async def fetch_first(self, number: int) -> Sequence[Record]:
        """The first records only. Raises ClientError."""
        return await self._page(0, number)

    async def _page(self, offset: int, limit: int = PAGE_SIZE) -> Sequence[Record]:
        full = self._client.features.full_list and not self._short
        page = await self._client.list_events(
            self._filter, sort=self._sort, limit=limit, offset=offset, full=full, skip_count=True
        )
        # A service before 5.140 lists short records only (§9 rule 2).
        return page.records if full or self._short else await _whole_records(self._client, page)


async def _whole_records(client: Client, page: EventPage) -> list[Record]:
    """The page with whole events; what cannot be read keeps its place among them."""
    whole = {one.id: one for one in await whole_events(client, [one.id for one in page.events])}
    return [found for one in page.records if (found := whole.get(one.id) if isinstance(one, Event) else one)]


async def whole_events(
    client: Client, ids: Sequence[int], waits: Callable[[], None] = no_words
) -> list[Event]:
    """The records of these ids, one call each; those that are gone are left out. Raises ClientError."""
    found: list[Event] = []
    for first in range(0, len(ids), _AT_ONCE):
        several = await asyncio.gather(*(_whole(client, one, waits) for one in ids[first : first + _AT_ONCE]))
        found += [event for event in several if event is not None]
    return found


async def _whole(client: Client, number: int, waits: Callable[[], None]) -> Event | None:
    try:
        return await patiently(client, lambda: client.event(number), waits)
    except NotFoundError:
        return None
