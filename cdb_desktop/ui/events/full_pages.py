"""Fetches whole events of a listing page by page, with patience for a service that is away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from cdb_desktop.client import Client, Event, EventFilter, NotFoundError, Sort
from cdb_desktop.events.pages import PAGE
from cdb_desktop.ui.events.rows import PASSING

_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)  # seconds between tries while the service does not answer
_AT_ONCE = 4  # calls

Answer = TypeVar("Answer")


def no_words() -> None:
    """Nobody is told that the service is waited for."""


async def patiently(ask: Callable[[], Awaitable[Answer]], waits: Callable[[], None] = no_words) -> Answer:
    """What ``ask`` gives, asked again while the service is away, which ``waits`` is told. Raises ClientError.

    Only for calls that may be repeated.
    """
    for delay in _DELAYS:
        try:
            return await ask()
        except PASSING:
            waits()
            await asyncio.sleep(delay)
    return await ask()


class FullPages:
    """Pages by id of one listing; ``waits`` is called whenever the service does not answer."""

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        *,
        descending: bool = False,
        waits: Callable[[], None] = no_words,
    ) -> None:
        self._client = client
        self._filter = chosen
        self._sort = (Sort("_id", descending),)
        self._waits = waits

    async def fetch(self, offset: int) -> Sequence[Event]:
        """At most 1000 events from ``offset`` on, with info. Raises ClientError."""
        return await patiently(lambda: self._page(offset), self._waits)

    async def _page(self, offset: int) -> Sequence[Event]:
        full = self._client.features.full_list
        page = await self._client.list_events(
            self._filter, sort=self._sort, limit=PAGE, offset=offset, full=full, skip_count=True
        )
        # A service before 5.140 lists short records only (§9 rule 2).
        return page.events if full else await whole_events(self._client, [one.id for one in page.events])


async def whole_events(client: Client, ids: Sequence[int]) -> list[Event]:
    """The records of these ids, one call each; those that are gone are left out. Raises ClientError."""
    found: list[Event] = []
    for first in range(0, len(ids), _AT_ONCE):
        several = await asyncio.gather(*(_whole(client, one) for one in ids[first : first + _AT_ONCE]))
        found += [event for event in several if event is not None]
    return found


async def _whole(client: Client, number: int) -> Event | None:
    try:
        return await patiently(lambda: client.event(number))
    except NotFoundError:
        return None
