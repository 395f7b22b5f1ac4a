"""Requests for events, repeated while the service is unreachable or fails temporarily.

The back-off of the connection (`cdb_desktop.client.backoff`) determines the delay between two attempts, for
which a repeated call waits. Without a back-off a call is repeated once a second.
"""

import asyncio
import time
from bisect import bisect_left
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventFilter,
    EventPage,
    NotFoundError,
    Record,
    ServerError,
    SlowAnswerError,
    Sort,
    TooLargeError,
    UnreachableError,
    ranges_of,
)
from cdb_desktop.client.backoff import may_pass
from cdb_desktop.events.paging import find_row
from cdb_desktop.events.result import PAGE_SIZE, readable_events

PASSING = (UnreachableError, SlowAnswerError, ServerError)  # the service is away or fails for the moment
REPEATED = (*PASSING, AnswerError)  # also the page of a portal or gateway in place of an answer
_AWAY = (UnreachableError, SlowAnswerError)

_PAUSE = 1.0  # seconds between two tries where the connection has no back-off
_TRIES, _PATIENCE = 7, 30.0  # a call is given up after so many tries and seconds, whichever comes later

Answer = TypeVar("Answer")
_AT_ONCE = 4  # calls
_FEWEST = 40  # events of a page that are worth the calls that find its place
_IN_ADDRESS = 500  # ids in the address of a call, which may have 8,000 characters at least
_SINGLE_AT_ONCE = 200  # concurrent requests for single events
_BY_TIME = (Sort("timestamp"),)
_BY_ID = (Sort("_id"),)


def ignore_failure() -> None:
    """Does nothing."""


async def with_retries(
    client: Client,
    call: Callable[[], Awaitable[Answer]],
    waits: Callable[[], None] = ignore_failure,
    *,
    endless: bool = False,
) -> Answer:
    """Returns the result of ``call``, which is repeated while the service fails. Raises ClientError.

    Only for calls that may be repeated. ``waits`` is called after each failure. ``endless``: repeats as
    long as the service is unreachable, but not if it answers with errors.
    """
    started, tries = time.monotonic(), 0
    while True:
        try:
            return await call()
        except REPEATED as error:
            tries += 1
            is_over = tries >= _TRIES and time.monotonic() - started >= _PATIENCE
            if not _is_passing(error) or (is_over and not (endless and _is_away(error))):
                raise
        waits()
        await pause(client)


def is_repeatable(error: ClientError) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, TooLargeError):
        return False  # the connection backs off, but the same rows would be as large again
    return isinstance(error, SlowAnswerError) or may_pass(error)


def _is_passing(error: ClientError) -> bool:
    """Whether to repeat the call before showing the error; errors of the service are shown at once."""
    return is_repeatable(error) and (not isinstance(error, AnswerError) or error.is_web_page)


def _is_away(error: ClientError) -> bool:
    """Whether the service was not reached: there was no answer, or a gateway has answered."""
    return isinstance(error, _AWAY) or (isinstance(error, AnswerError) and error.is_web_page)


async def pause(client: Client) -> None:
    """Waits before the next try if the connection has no back-off, in which the call itself waits."""
    await asyncio.sleep(0 if client.pause else _PAUSE)


async def count_events(client: Client, chosen: EventFilter) -> int | None:
    """The number of events that match a filter, None if the service does not return it. Raises ClientError.

    There is no call that only counts; the one event in the answer should cost nothing. With a filter by
    time or user that is the first by time, as a service finds them, otherwise the newest by id: the other
    order would need a sort of all of them.
    """
    is_by_time = chosen.date_from or chosen.user_id or chosen.group_id or chosen.user_type
    return (await client.list_events(chosen, sort=_BY_TIME if is_by_time else (), limit=1)).count


class FullPages:
    """Pages of a result by id; ``waits`` is called whenever the service does not answer.

    ``short`` records come much faster; ``endless``: see `with_retries`.
    """

    def __init__(
        self,
        client: Client,
        chosen: EventFilter,
        *,
        descending: bool = False,
        waits: Callable[[], None] = ignore_failure,
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
        return await with_retries(
            self._client, lambda: self._page(offset), self._waits, endless=self._endless
        )

    async def fetch_first(self, number: int) -> Sequence[Record]:
        """The first records only. Raises ClientError."""
        return await self._page(0, number)

    async def _page(self, offset: int, limit: int = PAGE_SIZE) -> Sequence[Record]:
        full = self._client.capabilities.full_list and not self._short
        page = await self._client.list_events(
            self._filter, sort=self._sort, limit=limit, offset=offset, full=full, skip_count=True
        )
        # A service before 5.140 lists short records only (§9 rule 2).
        return page.records if full or self._short else await _whole_records(self._client, page)


async def _whole_records(client: Client, page: EventPage) -> list[Record]:
    """The page with whole events; unreadable records keep their place."""
    whole = {one.id: one for one in await whole_events(client, [one.id for one in page.events])}
    return [found for one in page.records if (found := whole.get(one.id) if isinstance(one, Event) else one)]


async def whole_events(
    client: Client, ids: Sequence[int], waits: Callable[[], None] = ignore_failure
) -> list[Event]:
    """The whole records of these ids, one call each, without deleted ones. Raises ClientError."""
    found: list[Event] = []
    for first in range(0, len(ids), _AT_ONCE):
        several = await asyncio.gather(*(_whole(client, one, waits) for one in ids[first : first + _AT_ONCE]))
        found += [event for event in several if event is not None]
    return found


async def _whole(client: Client, number: int, waits: Callable[[], None]) -> Event | None:
    try:
        return await with_retries(client, lambda: client.event(number), waits)
    except NotFoundError:
        return None


async def events_by_id(
    client: Client, ids: Sequence[int], waits: Callable[[], None] = ignore_failure, *, short: bool = False
) -> AsyncIterator[list[Event]]:
    """Yields lists of the events with these ids, by ascending id, without deleted ones. Raises ClientError.

    Ids that are close together are fetched as a page, or any where the service filters by ids. ``short``:
    without info.
    """
    if client.capabilities.id_ranges:
        ordered = sorted(set(ids))
        for first in range(0, len(ordered), _IN_ADDRESS):
            yield await _filtered_by_id(client, ordered[first : first + _IN_ADDRESS], waits, full=not short)
        return
    runs = list(_runs(sorted(set(ids))))
    pages = _IdPages(client, waits, full=not short)
    is_worth = max(map(len, runs), default=0) >= _FEWEST and (short or client.capabilities.full_list)
    has_pages = is_worth and await pages.can_be_found()
    single: list[int] = []
    for some in runs:
        is_close = has_pages and len(some) >= _FEWEST
        if single and (is_close or len(single) >= _SINGLE_AT_ONCE):
            yield await whole_events(client, single, waits)
            single = []
        if is_close:
            yield await pages.read(some)
        else:
            single += some
    if single:
        yield await whole_events(client, single, waits)


async def _filtered_by_id(
    client: Client, ids: Sequence[int], waits: Callable[[], None], *, full: bool
) -> list[Event]:
    """The events with these ids, in one call. Raises ClientError."""
    chosen = EventFilter(ids=ranges_of(ids))
    page = await with_retries(
        client, lambda: client.list_events(chosen, sort=_BY_ID, limit=PAGE_SIZE, full=full), waits
    )
    if page.count == len(page.events):
        return list(page.events)
    # A record that cannot be read is asked for alone, which says why.
    lost = set(ids).difference(event.id for event in page.events)
    found = [*page.events, *await whole_events(client, sorted(lost), waits)]
    return sorted(found, key=lambda one: one.id)


def _runs(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Splits ids so that each part fits on a page together with the row above it."""
    first = 0
    while first < len(ids):
        end = bisect_left(ids, ids[first] + PAGE_SIZE - 1, first)
        yield ids[first:end]
        first = end


@dataclass(frozen=True, slots=True)
class _Slice:
    """Rows from ``offset`` on; fewer than ``limit`` if the log ends there."""

    offset: int
    limit: int
    records: Sequence[Record]

    @property
    def events(self) -> list[Event]:
        """The events of the slice."""
        return readable_events(self.records)

    def holds(self, some: Sequence[int]) -> bool:
        """Whether ids of ``some`` that are not in this slice do not exist."""
        events = self.events
        if not events or (self.offset > 0 and events[0].id > some[0]):
            return False
        return events[-1].id >= some[-1] or len(self.records) < self.limit


class _IdPages:
    """Pages of the whole log by ascending id."""

    def __init__(self, client: Client, waits: Callable[[], None], *, full: bool) -> None:
        self._client, self._waits, self._full = client, waits, full
        self._rows = 0
        self._ahead: int | None = None  # difference between id and row at the last position

    async def can_be_found(self) -> bool:
        """Whether the service returns the length of the log."""
        try:
            self._rows = await count_events(self._client, EventFilter()) or 0
        except REPEATED:
            return False
        return self._rows > 0

    async def read(self, some: Sequence[int]) -> list[Event]:
        """The events of one part. Raises ClientError."""
        found = await self._slice(some)
        wanted = set(some)
        events = [event for event in found.events if event.id in wanted]
        if not found.holds(some):
            # Other users may delete events meanwhile: rows that have moved are fetched by id.
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
        """Starts at the row above, which proves that no id is missing."""
        offset = max(0, row - 1)
        records: list[Record] = []
        while len(records) < limit:
            # A short page may have been truncated by a proxy: the log ends at an empty page.
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
        return await with_retries(
            self._client,
            lambda: ask(sort=_BY_ID, limit=limit, offset=offset, full=full, skip_count=True),
            self._waits,
        )
