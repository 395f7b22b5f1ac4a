"""The rows of one query as far as they have been fetched, page by page."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.queries.query import ResolvedQuery

PAGE_SIZE = 1000  # rows of a call (§8)
_LOOKAHEAD = PAGE_SIZE // 2  # rows around the visible ones that are fetched in advance
_MAX_INFO_BYTES = 64 << 20  # of all pages; some services store whole documents in each event
_MIN_PAGES = 3  # the visible pages and their neighbors are kept regardless of their size


class IncompleteResultError(AnswerError):
    """The service counts ``total`` rows but returned only ``rows``, also after a repeated request."""

    def __init__(self, rows: int, total: int) -> None:
        super().__init__("incomplete", value=f"{rows} / {total}", status=200)
        self.rows, self.total = rows, total


class QueryResult:
    """The rows of one resolved query. A new query makes a new result, so late pages cannot get into it.

    ``total`` is the number of all rows, None until it is known. ``newest`` is the id of the newest event,
    None if the order does not show it. ``is_counted``: the number of rows has been requested.
    ``count_failed``: that call failed and is to be repeated. The least recently used pages are dropped.
    """

    def __init__(self, resolved_query: ResolvedQuery, first: Sequence[Record], capacity: int = 64) -> None:
        """``first`` is the first page; ``capacity`` is the maximum number of pages."""
        top = first[0] if first and not resolved_query.sort else None
        # Records above the first readable event would be missing if the list ended with that event.
        self.resolved_query = resolved_query.frozen_at(top.timestamp if isinstance(top, Event) else None)
        newest = next((record for record in first if isinstance(record, Event)), None) if top else None
        self.newest = newest.id if newest else None
        self.total: int | None = None
        self.is_counted = False
        self.count_failed = False
        self._capacity = capacity
        self._pages: OrderedDict[int, Sequence[Record]] = OrderedDict()
        self._unreadable: dict[int, int] = {}
        self._info_bytes: dict[int, int] = {}
        self.add_page(0, first)

    @property
    def rows(self) -> int:
        """The number of rows as far as it is known."""
        return self._fetched_rows if self.total is None else self.total

    def set_count(self, counted: int | None) -> None:
        """Sets the number of rows that the service has counted; ignored if more rows have been fetched."""
        self.is_counted = True
        if counted is not None and counted >= self._fetched_rows:
            self.total = counted

    def shrink(self, rows: int) -> None:
        """Ends the result after ``rows`` rows: the others have been deleted since they were counted."""
        self.total = rows

    @property
    def _fetched_rows(self) -> int:
        last = max(self._pages, default=0)
        return last * PAGE_SIZE + len(self._pages.get(last, ()))

    def length(self, number: int) -> int:
        """The number of rows of a page as far as it is known."""
        return PAGE_SIZE if self.total is None else max(0, min(PAGE_SIZE, self.total - number * PAGE_SIZE))

    @property
    def unreadable(self) -> int:
        """The number of records that could not be read in all pages fetched so far."""
        return sum(self._unreadable.values())

    def event(self, row: int) -> Event | None:
        """The event in ``row``, None if it has not been fetched or cannot be read."""
        record = self.record(row)
        return record if isinstance(record, Event) else None

    def record(self, row: int) -> Record | None:
        """The record in ``row``, None if it has not been fetched."""
        number, index = divmod(row, PAGE_SIZE)
        page = self._pages.get(number, ())
        if index >= len(page):
            return None
        self._pages.move_to_end(number)
        return page[index]

    def add_page(self, number: int, records: Sequence[Record]) -> None:
        """Stores a page; one that is not full ends the result if it has not been counted."""
        self._store(number, records)
        if len(records) < PAGE_SIZE and self.total is None:
            self.total = number * PAGE_SIZE + len(records)

    def _store(self, number: int, records: Sequence[Record]) -> None:
        """Stores a page and drops those used longest ago."""
        events = readable_events(records)
        self._pages[number] = records
        self._pages.move_to_end(number)
        self._unreadable[number] = len(records) - len(events)
        self._info_bytes[number] = sum(memoryview(event.info).nbytes for event in events if event.info)
        while self._is_over_capacity:
            self._drop(next(iter(self._pages)))

    def _drop(self, number: int) -> None:
        del self._pages[number], self._info_bytes[number]

    @property
    def _is_over_capacity(self) -> bool:
        if len(self._pages) <= min(_MIN_PAGES, self._capacity):
            return False
        return len(self._pages) > self._capacity or sum(self._info_bytes.values()) > _MAX_INFO_BYTES

    def missing_pages(self, first: int, last: int) -> tuple[int, ...]:
        """The pages of the rows ``first`` to ``last`` and their neighbors that are missing or incomplete.

        While the number of rows is unknown, the result is followed page by page.
        """
        end = last + _LOOKAHEAD if self.total is None else max(0, self.total - 1)
        lowest = max(0, first - _LOOKAHEAD) // PAGE_SIZE
        highest = min(end, last + _LOOKAHEAD) // PAGE_SIZE
        return tuple(
            number
            for number in range(lowest, highest + 1)
            if number not in self._pages or len(self._pages[number]) < self._expected_length(number)
        )

    def _expected_length(self, number: int) -> int:
        # Without a count a page that is not full was the last one.
        return 0 if self.total is None else self.length(number)

    def loaded_events(self) -> list[Sequence[Event]]:
        """The events of the pages in memory, in the order of their rows."""
        return [readable_events(page) for page in self.loaded_records()]

    def loaded_records(self) -> list[Sequence[Record]]:
        """The pages in memory, in the order of their rows, unreadable records included."""
        return [self._pages[number] for number in sorted(self._pages)]

    def row_of(self, event_id: int) -> int | None:
        """The row of an event, None if it is not in a page in memory."""
        for number, page in self._pages.items():
            for index, record in enumerate(page):
                if isinstance(record, Event) and record.id == event_id:
                    return number * PAGE_SIZE + index
        return None


def split_records(records: Sequence[Record]) -> tuple[list[Event], list[Unreadable]]:
    """The events and the unreadable records, each in their order."""
    events = readable_events(records)
    if len(events) == len(records):
        return events, []
    return events, [record for record in records if isinstance(record, Unreadable)]


def readable_events(records: Sequence[Record]) -> list[Event]:
    """The events among ``records``."""
    return [record for record in records if isinstance(record, Event)]


_MOST_BYTES = 16 << 20  # of info; some services store whole documents in each event
_MOST_EVENTS = 5_000


class EventCache:
    """Whole records by id; the oldest ones are dropped. At least the last one is kept."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self._bytes = 0

    def add(self, events: Iterable[Event]) -> None:
        """Keeps whole records; events without info are ignored."""
        for event in events:
            if event.info is not None:
                self._drop(event.id)
                self._events[event.id] = event
                self._bytes += _size(event)
        while len(self._events) > 1 and (self._bytes > _MOST_BYTES or len(self._events) > _MOST_EVENTS):
            self._drop(next(iter(self._events)))

    def whole(self, event: Event) -> Event:
        """The whole record of a short one if it is known, else the same event."""
        if event.info is not None:
            return event
        found = self._events.get(event.id)
        # After a restore of the service the id may belong to another event.
        if found is None or found.timestamp != event.timestamp or found.type != event.type:
            return event
        return found

    def _drop(self, number: int) -> None:
        event = self._events.pop(number, None)
        if event is not None:
            self._bytes -= _size(event)


def _size(event: Event) -> int:
    return 0 if event.info is None else memoryview(event.info).nbytes
