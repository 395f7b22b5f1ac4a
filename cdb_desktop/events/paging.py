"""Reads a whole result page by page and by id, so that no event is missed or read twice.

Pages go by offset (§4.3), so rows that others delete meanwhile shift the rows that follow. Every page
therefore begins with the last record of the page before it; one that does not is requested again further up.
Records that cannot be read have no id. They are recognized by their content, and by how often it has occurred
since the last event. `find_row` finds the row of an event, for which the service has no call.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events.result import PAGE_SIZE

FetchRecords = Callable[[int], Awaitable[Sequence[Record]]]
Answer = TypeVar("Answer")

_MAX_IDLE_PAGES = 20  # pages in a row without a new record, or without one that follows the last


async def read_pages(
    fetch: FetchRecords, *, descending: bool = False, up_to: int | None = None
) -> AsyncGenerator[Sequence[Record], None]:
    """The records of all pages, each record once.

    ``fetch`` returns at most 1000 records from an offset on, sorted by id as given by ``descending``. Events
    with an id above ``up_to`` are left out: times are whole seconds (wire §1), so events that were added in
    the second of the newest one cannot be excluded by date. Raises what ``fetch`` raises, and AnswerError if
    the service returns the same records again and again.
    """
    prefetcher = PagePrefetcher(fetch)
    offset = 0
    overlap, guard = PageOverlap(), StallGuard()
    try:
        while True:
            page = await prefetcher.page(offset)
            fresh = _new_records(page, overlap, descending=descending)
            guard.check(offset, len(page), len(fresh))
            if offset > 0 and len(fresh) == len(page):
                # Rows before this offset were deleted, and the rows after them have moved up.
                offset = max(0, offset - PAGE_SIZE)
                continue
            wanted = [one for one in fresh if up_to is None or not isinstance(one, Event) or one.id <= up_to]
            # A page that is not full may have been truncated: the result ends where nothing follows.
            ends = (len(page) < PAGE_SIZE and not fresh) or (len(wanted) < len(fresh) and not descending)
            offset = max(0, offset + len(page) - 1)
            if not ends:
                prefetcher.start(offset)
            if wanted:
                yield wanted
            overlap = overlap.after(fresh)
            if ends:
                return
    finally:
        prefetcher.cancel()


class PagePrefetcher(Generic[Answer]):
    """Fetches the next page while the last one is still being processed."""

    def __init__(self, fetch: Callable[[int], Awaitable[Answer]]) -> None:
        self._fetch = fetch
        self._offset = 0
        self._task: asyncio.Future[Answer] | None = None

    def start(self, offset: int) -> None:
        """Starts to fetch the page that will be requested next."""
        self.cancel()
        self._offset = offset
        self._task = asyncio.ensure_future(self._fetch(offset))
        self._task.add_done_callback(_retrieve_exception)

    async def page(self, offset: int) -> Answer:
        """The page from ``offset`` on. Raises what ``fetch`` raises."""
        if self._task is None or self._offset != offset:
            self.cancel()
            return await self._fetch(offset)
        task, self._task = self._task, None
        return await task

    def cancel(self) -> None:
        """Cancels the call under way. To be called at the end, also after an error."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


class PageOverlap(msgspec.Struct, frozen=True):
    """The end of what has been read: the last event's id, and digests of unreadable records after it.

    Tells how many records of the next page have been read before.
    """

    last: int | None = None
    tail: tuple[str, ...] = ()

    def after(self, records: Sequence[Record]) -> PageOverlap:
        """The end after ``records`` have been read."""
        index = next((at for at in range(len(records) - 1, -1, -1) if isinstance(records[at], Event)), -1)
        tail = tuple(_digest(one) for one in records[index + 1 :] if isinstance(one, Unreadable))
        if index < 0:
            return PageOverlap(self.last, (*self.tail, *tail)[-PAGE_SIZE:])
        event = records[index]
        return PageOverlap(event.id if isinstance(event, Event) else None, tail)

    def count_known(self, records: Sequence[Record], *, descending: bool = False) -> int:
        """How many of ``records``, from the first on, have been read before."""
        if not records or (self.last is None and not self.tail):
            return 0
        known = self._count_known_events(records, descending=descending)
        digests = _leading_digests(records[known:])
        if known:
            return known + _common_length(digests, self.tail)
        if digests and self.tail and digests[0] == self.tail[-1]:
            return 1
        # If records before it were deleted, the page may begin anywhere in the tail.
        return next(
            (n for n in range(min(len(digests), len(self.tail)), 0, -1) if digests[:n] == self.tail[-n:]), 0
        )

    def _count_known_events(self, records: Sequence[Record], *, descending: bool) -> int:
        last, number = self.last, 0
        for index, one in enumerate(records):
            if isinstance(one, Event):
                if last is None or (one.id < last if descending else one.id > last):
                    break
                number = index + 1
        return number


class StallGuard:
    """Detects a service that returns the same pages again and again."""

    def __init__(self) -> None:
        self._idle = self._farthest = 0

    def check(self, offset: int, size: int, fresh: int) -> None:
        """Notes a page of ``size`` records at ``offset``, ``fresh`` of them new. Raises AnswerError."""
        if 0 < fresh < size:
            self._idle, self._farthest = 0, max(self._farthest, offset)
        else:
            self._idle += 1
        # If others delete rows meanwhile, reading may go back all the way.
        if self._idle > _MAX_IDLE_PAGES + self._farthest // PAGE_SIZE:
            raise AnswerError("same_records", status=200)


def _new_records(page: Sequence[Record], overlap: PageOverlap, *, descending: bool) -> list[Record]:
    known, last = overlap.count_known(page, descending=descending), overlap.last
    if last is None:
        return list(page[known:])
    return [
        one
        for one in page[known:]
        if not isinstance(one, Event) or (one.id < last if descending else one.id > last)
    ]


def _retrieve_exception(task: asyncio.Future[Answer]) -> None:
    # asyncio logs exceptions that are not retrieved; those of unused pages do not matter.
    if not task.cancelled():
        task.exception()


def _digest(record: Unreadable) -> str:
    return hashlib.sha256(record.raw).hexdigest()[:16]


def _leading_digests(records: Sequence[Record]) -> tuple[str, ...]:
    digests: list[str] = []
    for one in records:
        if not isinstance(one, Unreadable):
            break
        digests.append(_digest(one))
    return tuple(digests)


def _common_length(digests: Sequence[str], tail: Sequence[str]) -> int:
    pairs = zip(digests, tail, strict=False)
    return next(
        (index for index, (one, other) in enumerate(pairs) if one != other), min(len(digests), len(tail))
    )


IdAt = Callable[[int], Awaitable[int | None]]
_IdAndRow = tuple[int, int]

_INTERPOLATIONS = 3  # before each bisection


async def find_row(id_at: IdAt, rows: int, wanted: int, *, descending: bool) -> int:
    """The row of the event ``wanted``, or of the first event after its place; ``rows`` if no event follows.

    ``id_at`` returns the id in a row, None beyond the end. It is called a few times for ten million rows, and
    about 40 times if ids are unrelated to rows.
    """
    low, high, tries = 0, rows, 0
    # An id outside either end, with its row: no id is below 1.
    before: _IdAndRow | None = None if descending else (-1, 0)
    after: _IdAndRow | None = (rows, 0) if descending else None
    while low < high:
        tries += 1
        bisects = tries % (_INTERPOLATIONS + 1) == 0
        row = (low + high) // 2 if bisects else _interpolated(before, after, wanted, rows)
        row = max(low, min(row, high - 1))
        found = await id_at(row)
        if found == wanted:
            return row
        if found is None or (found < wanted) is descending:
            high = row
            after = after if found is None else (row, found)
        else:
            low = row + 1
            before = row, found
    return low


def _interpolated(before: _IdAndRow | None, after: _IdAndRow | None, wanted: int, rows: int) -> int:
    """The row between two known ones if ids were evenly spread; the unknown end if there is one."""
    if before is None:
        return 0
    if after is None:
        return min(wanted, rows) - 1
    (first, low), (last, high) = before, after
    return first + round((wanted - low) * (last - first) / (high - low))
