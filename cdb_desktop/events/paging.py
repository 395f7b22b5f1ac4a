"""Asks for the page that comes next while somebody still works on the last one. Knows no service."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events.result import PAGE_SIZE

Answer = TypeVar("Answer")


class PagePrefetcher(Generic[Answer]):
    """Pages of ``fetch``, at most one of them before it is wanted."""

    def __init__(self, fetch: Callable[[int], Awaitable[Answer]]) -> None:
        self._fetch = fetch
        self._offset = 0
        self._task: asyncio.Future[Answer] | None = None

    def expect(self, offset: int) -> None:
        """Begins to fetch what will be wanted next."""
        self.cancel()
        self._offset = offset
        self._task = asyncio.ensure_future(self._fetch(offset))
        self._task.add_done_callback(_look)

    async def page(self, offset: int) -> Answer:
        """The page from ``offset`` on. Raises what ``fetch`` raises."""
        if self._task is None or self._offset != offset:
            self.cancel()
            return await self._fetch(offset)
        task, self._task = self._task, None
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    def cancel(self) -> None:
        """What was expected is not wanted; to be called at the end, however it comes."""
        if self._task is not None:
            self._task.cancel()
            self._task = None


def _look(task: asyncio.Future[Answer]) -> None:
    # Whoever wants the page is told of its failure; of one that nobody wants nothing need be said.
    if not task.cancelled():
        task.exception()


_MOST_IDLE = 20  # pages in a row that bring nothing, or nothing that follows


class PageOverlap(msgspec.Struct, frozen=True):
    """The end of what has come: its last event, and what was unreadable after that."""

    last: int | None = None
    tail: tuple[str, ...] = ()

    def then(self, records: Sequence[Record]) -> PageOverlap:
        """The end after ``records``."""
        place = next((at for at in range(len(records) - 1, -1, -1) if isinstance(records[at], Event)), -1)
        tail = tuple(_mark(one) for one in records[place + 1 :] if isinstance(one, Unreadable))
        if place < 0:
            return PageOverlap(self.last, (*self.tail, *tail)[-PAGE_SIZE:])
        event = records[place]
        return PageOverlap(event.id if isinstance(event, Event) else None, tail)

    def known(self, records: Sequence[Record], *, descending: bool = False) -> int:
        """How many of ``records``, from the first on, have come before."""
        if not records or (self.last is None and not self.tail):
            return 0
        found = self._known_events(records, descending=descending)
        marks = _leading_marks(records[found:])
        if found:
            return found + _common(marks, self.tail)
        if marks and self.tail and marks[0] == self.tail[-1]:
            return 1
        # Where somebody has deleted what stood before, it may begin anywhere in the tail.
        return next(
            (n for n in range(min(len(marks), len(self.tail)), 0, -1) if marks[:n] == self.tail[-n:]), 0
        )

    def _known_events(self, records: Sequence[Record], *, descending: bool) -> int:
        last, number = self.last, 0
        for place, one in enumerate(records):
            if isinstance(one, Event):
                if last is None or (one.id < last if descending else one.id > last):
                    break
                number = place + 1
        return number


class RowEnds(msgspec.Struct, frozen=True):
    """The first id of some rows, the seam after them, and how many of them cannot be read."""

    first: int | None
    seam: PageOverlap
    unreadable: int = 0


def _mark(one: Unreadable) -> str:
    return hashlib.sha256(one.raw).hexdigest()[:16]


def _leading_marks(records: Sequence[Record]) -> tuple[str, ...]:
    marks: list[str] = []
    for one in records:
        if not isinstance(one, Unreadable):
            break
        marks.append(_mark(one))
    return tuple(marks)


def _common(marks: Sequence[str], tail: Sequence[str]) -> int:
    pairs = zip(marks, tail, strict=False)
    return next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(marks), len(tail))
    )


class StallGuard:
    """Ends the way through a list of which the service gives the same pages for ever."""

    def __init__(self) -> None:
        self._idle = self._farthest = 0

    def check(self, offset: int, page: int, fresh: int) -> None:
        """A page has come from ``offset`` on, with so many records that are new. Raises AnswerError."""
        if 0 < fresh < page:
            self._idle, self._farthest = 0, max(self._farthest, offset)
        else:
            self._idle += 1
        # Whoever deletes while it is read may have it go back all the way.
        if self._idle > _MOST_IDLE + self._farthest // PAGE_SIZE:
            raise AnswerError("same_records", status=200)


FetchRecords = Callable[[int], Awaitable[Sequence[Record]]]


async def read_pages(
    fetch: FetchRecords, *, descending: bool = False, up_to: int | None = None
) -> AsyncGenerator[Sequence[Record], None]:
    """The records page by page; raises what ``fetch`` raises, AnswerError if it gives the same for ever.

    ``fetch`` gives at most 1000 records from an offset on, by id in the order that ``descending`` tells.
    Those with an id above ``up_to`` are left out: times are whole seconds (wire §1), so what has come since
    in the second of the newest event cannot be told apart by its date.
    """
    ahead = PagePrefetcher(fetch)
    offset = 0
    seam, pace = PageOverlap(), StallGuard()
    try:
        while True:
            page = await ahead.page(offset)
            fresh = _fresh(page, seam, descending=descending)
            pace.check(offset, len(page), len(fresh))
            if offset > 0 and len(fresh) == len(page):
                # Rows before this place are gone, and what followed them has moved up.
                offset = max(0, offset - PAGE_SIZE)
                continue
            wanted = [one for one in fresh if up_to is None or not isinstance(one, Event) or one.id <= up_to]
            # A page that is not full may have been cut short on its way: the end is where nothing follows.
            ends = (len(page) < PAGE_SIZE and not fresh) or (len(wanted) < len(fresh) and not descending)
            offset = max(0, offset + len(page) - 1)
            if not ends:
                ahead.expect(offset)
            if wanted:
                yield wanted
            seam = seam.then(fresh)
            if ends:
                return
    finally:
        ahead.cancel()


def _fresh(page: Sequence[Record], seam: PageOverlap, *, descending: bool) -> list[Record]:
    known, last = seam.known(page, descending=descending), seam.last
    if last is None:
        return list(page[known:])
    return [
        one
        for one in page[known:]
        if not isinstance(one, Event) or (one.id < last if descending else one.id > last)
    ]
