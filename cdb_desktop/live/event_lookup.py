"""Reads events from the list that polls do not bring (§4.3).

Some services filter the list by ranges of ids. That of others pages by offset only, newest first.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence

import msgspec

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    Event,
    EventFilter,
    EventPage,
    GatewayError,
    Polled,
    ServiceError,
    Session,
    SessionLostError,
    SlowAnswerError,
)

LIST_RIGHT = "system.api.event.get"  # required to read the list (§5.2)
_PAGE = 1000  # the largest page (§8)
_MOST_RANGES = 200  # in the address of a call, which may have 8,000 characters at least
_SPARE = 20  # events that may have been added above the searched ones
_RESTARTS = 5  # how often a scan begins again because events were deleted meanwhile
_REFUSALS: tuple[type[ClientError], ...] = (ServiceError, SlowAnswerError, AnswerError, GatewayError)
_log = logging.getLogger(__name__)

ReadPage = Callable[[int, int], Awaitable[EventPage | None]]  # (limit, offset)
Progress = Callable[[float], None]  # called with the part that is done, from 0 to 1


class FoundEvents(msgspec.Struct):
    """Events by id; from ``down_to`` upwards none is missing."""

    down_to: int
    events: dict[int, Event] = msgspec.field(default_factory=dict)


def is_polled_by(client: Client, event: Event) -> bool:
    """Whether a poll brings this pollable event to the session that listed it (§4.2 rules 1 and 2)."""
    if not client.capabilities.sessions:
        return True
    user_id = client.session.user.id if client.session and client.session.user else None
    if event.type == "OBJECT_INSERT":
        return event.session_self
    is_of_user = event.type == "OBJECT_UPDATE" and event.basetype == "user"
    return not is_of_user or (user_id is not None and event.user_id == user_id)


async def read_newest(client: Client, session: Session, number: int) -> Polled:
    """Of the ``number`` newest events those that a poll would have brought, oldest first.

    Nothing without the right to read the list, or if it cannot be read.
    Raises UnreachableError, SessionLostError.
    """
    if not session.allows(LIST_RIGHT):
        return Polled()
    page = await _read_page(client, EventFilter(pollable=True), number, 0)
    if page is None:
        return Polled()
    return Polled(tuple(one for one in reversed(page.events) if is_polled_by(client, one)), page.unreadable)


async def find_events(
    client: Client, ranges: Sequence[tuple[int, int]], pages: int, progress: Progress, *, pollable: bool
) -> FoundEvents | None:
    """The events with ids in ``ranges`` (first, last), which are descending; at most ``pages`` are read.

    None if the list cannot be read. Raises UnreachableError, SessionLostError.
    """

    if client.capabilities.id_ranges:
        return await _find_by_ranges(client, ranges, pages, progress, pollable=pollable)

    async def read(limit: int, offset: int) -> EventPage | None:
        return await _read_page(client, EventFilter(pollable=pollable), limit, offset)

    scan, restarts = ListScan(ranges), _RESTARTS
    for _ in range(pages):
        page = await read(scan.limit, scan.offset)
        # An unreadable record may be any of those that are looked for.
        if page is None or page.unreadable or not scan.add_page(page.events):
            break
        progress(scan.done)
        restarts -= scan.is_torn
        if not scan.has_more or not restarts:
            break
        await skip_ahead(scan, read)
    return FoundEvents(scan.down_to, scan.found) if scan.has_result else None


async def _find_by_ranges(
    client: Client, ranges: Sequence[tuple[int, int]], pages: int, progress: Progress, *, pollable: bool
) -> FoundEvents | None:
    """Like `find_events`, where the service filters by ids."""
    size, unread, result = _size(ranges), list(ranges), None
    for _ in range(pages):
        part = unread[:_MOST_RANGES]
        page = await _read_page(client, EventFilter(pollable=pollable, ids=tuple(reversed(part))), _PAGE, 0)
        # An unreadable record may be any of those that are looked for.
        if page is None or page.unreadable:
            break
        ids = [event.id for event in page.events]
        if ids != sorted(ids, reverse=True):
            _log.warning("the list of events is not in order of their ids")
            break
        has_more = bool(ids) and (page.count is None or page.count > len(ids))
        result = result or FoundEvents(0)
        result.down_to = ids[-1] if has_more else part[-1][0]
        result.events |= {event.id: event for event in page.events}
        unread = [(first, min(last, result.down_to - 1)) for first, last in unread if first < result.down_to]
        progress(1 - _size(unread) / size)
        if not unread:
            break
    return result


async def _read_page(client: Client, chosen: EventFilter, limit: int, offset: int) -> EventPage | None:
    try:
        return await client.list_events(
            chosen, limit=limit, offset=offset, skip_count=client.capabilities.skip_count
        )
    except _REFUSALS as error:
        if isinstance(error, SessionLostError):
            raise
        # Polls are cheap where a list may fail: a long log times out, a proxy cuts off.
        _log.warning("events were not listed: %s", error)
        return None


class ListScan:
    """The position and the results of a downward scan.

    Each page begins with the last event of the page before, and the first page after a skip begins above the
    searched ids: otherwise events have been deleted, others were missed, and the scan starts again.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._top = ranges[0][1]
        self._bottom = ranges[-1][0]
        self._size = _size(ranges)
        self._unread = list(ranges)  # descending
        self._lowest: int | None = None  # the lowest id that was read since the last skip
        self._density = 1.0  # events for each id, as far as is known
        self.limit = min(_PAGE, ranges[0][1] - ranges[0][0] + 1 + _SPARE)
        self.offset = 0
        self.found: dict[int, Event] = {}
        self.is_torn = False  # whether events were deleted between two pages

    @property
    def has_more(self) -> bool:
        """Whether there are ids left to search for."""
        return bool(self._unread)

    @property
    def has_result(self) -> bool:
        """Whether anything is certain."""
        return self.down_to <= self._top

    @property
    def down_to(self) -> int:
        """From this id upwards no event in the ranges is missing."""
        return self._unread[0][1] + 1 if self._unread else self._bottom

    @property
    def done(self) -> float:
        """The part of the ids that was read, from 0 to 1."""
        return 1 - _size(self._unread) / self._size

    @property
    def ahead(self) -> tuple[int, int, float] | None:
        """The lowest id that was read, the next one to look for, and the events for each id between."""
        if self._lowest is None or not self._unread:
            return None
        return self._lowest, self._unread[0][1], self._density

    def add_page(self, events: Iterable[Event]) -> bool:
        """Adds a page of the list; False if it is not ordered by descending ids."""
        found = {event.id: event for event in events}
        ids = list(found)
        if ids != sorted(ids, reverse=True):
            _log.warning("the list of events is not in order of their ids")
            return False
        self.is_torn = self._has_missed(ids)
        if self.is_torn:
            self.skip_to(0)
            return True
        self.found |= {one: event for one, event in found.items() if self._bottom <= one <= self._top}
        # A service may return fewer events than requested: only a page without new events is the last.
        if not ids or ids[-1] == self._lowest:
            self._unread = []
            return True
        if len(ids) > 1:
            self._density = (len(ids) - 1) / (ids[0] - ids[-1])
        self.limit = _PAGE
        self.offset += len(ids) - 1
        self._lowest = ids[-1]
        self._remove_down_to(ids[-1])
        return True

    def skip_to(self, offset: int) -> None:
        """Continues at another offset."""
        self._lowest, self.offset = None, offset

    def _has_missed(self, ids: Sequence[int]) -> bool:
        if self._lowest is not None:
            return self._lowest not in ids
        return self.offset > 0 and (not ids or ids[0] <= self._unread[0][1])

    def _remove_down_to(self, lowest: int) -> None:
        while self._unread and self._unread[0][0] >= lowest:
            del self._unread[0]
        if self._unread and self._unread[0][1] >= lowest:
            self._unread[0] = (self._unread[0][0], lowest - 1)


async def skip_ahead(scan: ListScan, read: ReadPage) -> None:
    """Moves a scan closer to the ids that it searches for next, if they are more than a page below.

    Between two events there are at most as many others as there are ids, which bounds the offset. Within the
    bounds it is estimated from the density of the ids and halved in turn.
    """
    ahead = scan.ahead
    if ahead is None or ahead[0] - ahead[1] <= _PAGE:
        return
    lowest, wanted, density = ahead
    low, high, estimates = scan.offset, scan.offset + lowest - wanted, True
    while high - low > _PAGE:
        offset = low + int(density * (lowest - wanted)) - _PAGE // 4 if estimates else (low + high) // 2
        offset, estimates = min(max(offset, low + 1), high - 1), not estimates
        page = await read(1, offset)
        if page is None:
            break
        if not page.events or page.events[0].id <= wanted:
            high = offset
            continue
        found = page.events[0].id
        density = (offset - low) / (lowest - found) if found < lowest else density
        low, lowest, high = offset, found, min(high, offset + found - wanted)
    if low > scan.offset:
        scan.skip_to(low)


def _size(ranges: Iterable[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in ranges)
