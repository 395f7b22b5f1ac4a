"""Reads events that were chosen one by one: a page at a time where they lie close together. Shows nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

from cdb_desktop.client import Client, Event, EventFilter, EventPage, Record, Sort
from cdb_desktop.events.result import PAGE_SIZE, readable_events
from cdb_desktop.events.row_lookup import find_row
from cdb_desktop.ui.events.browser.full_pages import whole_events
from cdb_desktop.ui.events.browser.retries import REPEATED, no_words, patiently
from cdb_desktop.ui.events.browser.rows import number_of

_LEAST = 40  # events of a page that are worth the calls that find its place
_SLICE = 200  # events that are asked for one by one at once
_BY_ID = (Sort("_id"),)


async def picked_events(
    client: Client, ids: Sequence[int], waits: Callable[[], None] = no_words, *, short: bool = False
) -> AsyncIterator[list[Event]]:
    """By ascending id, some at a time; those that are gone are left out. Raises ClientError.

    ``short``: records without info will do.
    """
    stretches = list(_stretches(sorted(set(ids))))
    pages = _Pages(client, waits, full=not short)
    is_worth = max(map(len, stretches), default=0) >= _LEAST and (short or client.features.full_list)
    has_pages = is_worth and await pages.can_be_found()
    single: list[int] = []
    for some in stretches:
        is_close = has_pages and len(some) >= _LEAST
        if single and (is_close or len(single) >= _SLICE):
            yield await whole_events(client, single, waits)
            single = []
        if is_close:
            yield await pages.read(some)
        else:
            single += some
    if single:
        yield await whole_events(client, single, waits)


def _stretches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Ids that stand on one page with the row above them: there are no more rows than numbers."""
    first = 0
    while first < len(ids):
        end = bisect_left(ids, ids[first] + PAGE_SIZE - 1, first)
        yield ids[first:end]
        first = end


@dataclass(frozen=True, slots=True)
class _Slice:
    """Rows from ``offset`` on, as many as were asked for unless the log ends there."""

    offset: int
    limit: int
    records: Sequence[Record]

    @property
    def events(self) -> list[Event]:
        """Its events."""
        return readable_events(self.records)

    def holds(self, some: Sequence[int]) -> bool:
        """Whether of these ids those that are not here are nowhere."""
        events = self.events
        if not events or (self.offset > 0 and events[0].id > some[0]):
            return False
        return events[-1].id >= some[-1] or len(self.records) < self.limit


class _Pages:
    """Pages of the whole log by ascending id."""

    def __init__(self, client: Client, waits: Callable[[], None], *, full: bool) -> None:
        self._client, self._waits, self._full = client, waits, full
        self._rows = 0
        self._ahead: int | None = None  # by how much the ids were ahead of the rows at the last place

    async def can_be_found(self) -> bool:
        """Whether the service tells how long the log is."""
        try:
            self._rows = await number_of(self._client, EventFilter()) or 0
        except REPEATED:
            return False
        return self._rows > 0

    async def read(self, some: Sequence[int]) -> list[Event]:
        """The events of one stretch. Raises ClientError."""
        found = await self._slice(some)
        wanted = set(some)
        events = [event for event in found.events if event.id in wanted]
        if not found.holds(some):
            # Others delete meanwhile: what has moved away is looked for by itself.
            lost = wanted.difference(event.id for event in events)
            events += await whole_events(self._client, sorted(lost), self._waits)
            events.sort(key=lambda one: one.id)
        return events

    async def _slice(self, some: Sequence[int]) -> _Slice:
        limit = some[-1] - some[0] + 2
        if self._ahead is not None:
            found = await self._from_above(some[0] - self._ahead, limit)
            if found.holds(some):
                return found
        row = await find_row(self._id_in, self._rows, some[0], descending=False)
        self._ahead = some[0] - row
        return await self._from_above(row, limit)

    async def _from_above(self, row: int, limit: int) -> _Slice:
        """Begins with the row above, which tells that nothing is left out."""
        offset = max(0, row - 1)
        records: list[Record] = []
        while len(records) < limit:
            # A page that is not full may have been cut short on its way: the log ends where nothing follows.
            rest = limit - len(records)
            page = await self._listed(offset + len(records), rest, full=self._full)
            records += page.records
            if not page.records:
                break
        return _Slice(offset, limit, records)

    async def _id_in(self, row: int) -> int | None:
        page = await self._listed(row, 1, full=False)
        return page.events[0].id if page.events else None

    async def _listed(self, offset: int, limit: int, *, full: bool) -> EventPage:
        ask = self._client.list_events
        return await patiently(
            self._client,
            lambda: ask(sort=_BY_ID, limit=limit, offset=offset, full=full, skip_count=True),
            self._waits,
        )
