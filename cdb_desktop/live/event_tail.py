"""Reads new events from the list, ascending by id and without gaps, however many have been added (§4.3).

Polls would miss what is not pollable, and what happened while nobody polled (§4.2).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Client, Event, EventPage, Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.time_span import TimeSpan

_PAGE = 1000  # the largest page (§8)
_FIRST_PAGE = 100  # events; usually few are new
_ASCENDING = (Sort("_id"),)


class TailBatch(msgspec.Struct, frozen=True):
    """New events by ascending id.

    ``is_complete``: there was none after them at ``moment``, in seconds since 1970 of this computer's clock.
    """

    events: tuple[Event, ...]
    is_complete: bool
    moment: float


class EventTail:
    """The end of the log behind the event ``last_id``; None means that it begins with the next event."""

    def __init__(self, client: Client, last_id: int | None = None) -> None:
        self._client = client
        self._offset: int | None = None  # of the event ``last_id`` in ascending order, while far behind
        self.last_id = last_id
        self.whole = False  # whether records with all fields are read

    async def begin(self) -> int:
        """Returns ``last_id``, which is that of the newest event if it is None. Raises ClientError."""
        if self.last_id is None:
            newest = await self._client.list_events(limit=1, skip_count=self._skips_count)
            self.last_id = max((event.id for event in newest.events), default=0)
        return self.last_id

    async def read(self) -> TailBatch:
        """The next events, at most 1000; the next call reads those after them. Raises ClientError."""
        last, moment = await self.begin(), time.time()
        if self._offset is None:
            page = await self._page(_FIRST_PAGE, 0)
            if _reaches(page, last, _FIRST_PAGE):
                return self._take(page, moment, is_complete=True)
        return await self._read_ahead(last, moment)

    async def _read_ahead(self, last: int, moment: float) -> TailBatch:
        """The events after ``last`` in ascending order, in which new events do not move the others."""
        offset = self._offset
        if offset is None:
            offset = max(0, await self._number_up_to(last) - 1)
        page = await self._page(_PAGE, offset, ascending=True)
        first = min((event.id for event in page.events), default=last)
        if offset and first > last:
            # The page begins with the last event that was read, unless events before it have been deleted.
            self._offset = None
            offset = max(0, await self._number_up_to(last) - 1)
            page = await self._page(_PAGE, offset, ascending=True)
            first = min((event.id for event in page.events), default=last)
            if offset and first > last:
                return TailBatch(
                    (), is_complete=False, moment=moment
                )  # more have been deleted: again with the next call
        number = len(page.records)
        ends = number < _PAGE
        self._offset = None if ends else offset + number - 1
        # The end is read again, newest first: a service may return fewer events than requested.
        return self._take(page, moment, is_complete=False)

    async def _number_up_to(self, last: int) -> int:
        """How many events have ids up to ``last``, found by bisection."""
        low, high = 0, (await self._client.list_events(limit=1)).count or 0
        while low < high:
            middle = (low + high) // 2
            page = await self._page(1, middle, ascending=True)
            if page.events and page.events[0].id <= last:
                low = middle + 1
            else:
                high = middle
        return low

    async def _page(self, limit: int, offset: int, *, ascending: bool = False) -> EventPage:
        return await self._client.list_events(
            sort=_ASCENDING if ascending else (),
            limit=limit,
            offset=offset,
            full=self.whole,
            skip_count=self._skips_count,
        )

    @property
    def _skips_count(self) -> bool:
        return self._client.features.skip_count

    def _take(self, page: EventPage, moment: float, *, is_complete: bool) -> TailBatch:
        last = self.last_id or 0
        events = sorted((event for event in page.events if event.id > last), key=lambda event: event.id)
        if events:
            self.last_id = events[-1].id
        return TailBatch(tuple(events), is_complete, moment)


async def ids_of(client: Client, query: Query, events: Sequence[Event]) -> frozenset[int]:
    """The ids of those of ``events`` that the service lists for a query, conditions aside (§4.3 rule 1).

    ``events`` are ordered by id. Raises ClientError.
    """
    times = [event.timestamp for event in events if event.timestamp is not None]
    if not times:
        return frozenset()
    span = TimeSpan(first=min(times), last=max(times))
    chosen = replace(query, span=span).at(times[0]).filter
    found: set[int] = set()
    offset = 0
    while True:
        page = await client.list_events(
            chosen, limit=_PAGE, offset=offset, skip_count=client.features.skip_count
        )
        new = {event.id for event in page.events} - found
        found |= new
        # A service may return fewer events than requested: only a page without new ones is the last.
        if not new or min(new) <= events[0].id:
            return frozenset(found)
        offset += max(1, len(page.records) - 1)


def _reaches(page: EventPage, last: int, limit: int) -> bool:
    """Whether a page, newest first, contains all events after ``last``."""
    return len(page.records) < limit or any(event.id <= last for event in page.events)
