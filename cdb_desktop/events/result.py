"""The rows of one query as far as they have been fetched: pages, the oldest unused dropped first. No I/O."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events.query import ResolvedQuery

PAGE_SIZE = 1000  # rows of a call (§8)
_AHEAD = PAGE_SIZE // 2  # rows beyond the visible ones that are fetched before they are asked for
_MOST_INFO = 64 << 20  # bytes of info in all pages; some services put whole documents into each event
_IN_SIGHT = 3  # pages that are kept whatever they weigh: those in sight and their neighbours


class IncompleteResultError(AnswerError):
    """The service has given ``rows`` rows of the ``total`` that it counts, also when it was asked again."""

    def __init__(self, rows: int, total: int) -> None:
        super().__init__("incomplete", value=f"{rows} / {total}", status=200)
        self.rows, self.total = rows, total


class QueryResult:
    """The answer to one listing; a new query makes a new result, so that late pages cannot get into it.

    ``total`` is the number of all rows, None until it is known; ``newest`` is the id of the newest event,
    None where the order does not tell it.
    """

    def __init__(self, listing: ResolvedQuery, first: Sequence[Record], capacity: int = 64) -> None:
        """``first`` is the listing's first page; ``capacity`` is in pages, fewer where they are heavy."""
        top = first[0] if first and not listing.sort else None
        # What stands above the first event that can be read would fall out of a list that ends with it.
        self.listing = listing.frozen_at(top.timestamp if isinstance(top, Event) else None)
        newest = next((one for one in first if isinstance(one, Event)), None) if top else None
        self.newest = newest.id if newest else None
        self.total: int | None = None
        self.is_counted = False  # ``total`` was confirmed by a count, or there is none
        self.is_uncounted = False  # a count has failed and is to be repeated
        self._capacity = capacity
        self._pages: OrderedDict[int, Sequence[Record]] = OrderedDict()
        self._unreadable: dict[int, int] = {}
        self._weights: dict[int, int] = {}
        self.keep(0, first)

    @property
    def rows(self) -> int:
        """The number of rows as far as it is known."""
        if self.total is not None:
            return self.total
        return self._rows_here

    def end_at(self, counted: int | None) -> None:
        """Sets the number of rows that the service has counted; one that is less than is here is ignored."""
        self.is_counted = True
        if counted is not None and counted >= self._rows_here:
            self.total = counted

    def shrink(self, rows: int) -> None:
        """Ends the result after ``rows`` rows: the others have been deleted since they were counted."""
        self.total = rows

    @property
    def _rows_here(self) -> int:
        last = max(self._pages, default=0)
        return last * PAGE_SIZE + len(self._pages.get(last, ()))

    def length(self, number: int) -> int:
        """How many rows a page has as far as the number of rows is known."""
        return PAGE_SIZE if self.total is None else max(0, min(PAGE_SIZE, self.total - number * PAGE_SIZE))

    @property
    def unreadable(self) -> int:
        """How many records of the pages that have come could not be read."""
        return sum(self._unreadable.values())

    def event(self, row: int) -> Event | None:
        """The event in ``row``, None while it is not here and where its record cannot be read."""
        found = self.record(row)
        return found if isinstance(found, Event) else None

    def record(self, row: int) -> Record | None:
        """What came for ``row``, None while it is not here."""
        number, place = divmod(row, PAGE_SIZE)
        page = self._pages.get(number, ())
        if place >= len(page):
            return None
        self._pages.move_to_end(number)
        return page[place]

    def keep(self, number: int, records: Sequence[Record]) -> None:
        """Takes in a page; one that is not full ends the result as long as nobody has counted it."""
        events = readable_events(records)
        self._pages[number] = records
        self._pages.move_to_end(number)
        self._unreadable[number] = len(records) - len(events)
        if len(records) < PAGE_SIZE and self.total is None:
            self.total = number * PAGE_SIZE + len(records)
        self._weights[number] = sum(memoryview(event.info).nbytes for event in events if event.info)
        while self._are_too_many:
            oldest, _records = self._pages.popitem(last=False)
            del self._weights[oldest]

    @property
    def _are_too_many(self) -> bool:
        if len(self._pages) <= min(_IN_SIGHT, self._capacity):
            return False
        return len(self._pages) > self._capacity or sum(self._weights.values()) > _MOST_INFO

    def wanted(self, first: int, last: int) -> tuple[int, ...]:
        """The pages of the rows ``first`` to ``last`` and their neighbours that are not here, or not whole.

        While nobody knows where the result ends it is followed page by page.
        """
        end = last + _AHEAD if self.total is None else max(0, self.total - 1)
        lowest = max(0, first - _AHEAD) // PAGE_SIZE
        highest = min(end, last + _AHEAD) // PAGE_SIZE
        return tuple(
            number
            for number in range(lowest, highest + 1)
            if number not in self._pages or len(self._pages[number]) < self._least(number)
        )

    def _least(self, number: int) -> int:
        # Without a count a page that is not full was the last one.
        return 0 if self.total is None else self.length(number)

    def pages_here(self) -> list[Sequence[Event]]:
        """The events of the pages that are here, in the order of their rows."""
        return [readable_events(page) for page in self.records_here()]

    def records_here(self) -> list[Sequence[Record]]:
        """The pages that are here, in the order of their rows, with what cannot be read."""
        return [self._pages[number] for number in sorted(self._pages)]

    def row_of(self, event_id: int) -> int | None:
        """The row of an event among those that are here."""
        for number, page in self._pages.items():
            for place, one in enumerate(page):
                if isinstance(one, Event) and one.id == event_id:
                    return number * PAGE_SIZE + place
        return None


def split_records(records: Sequence[Record]) -> tuple[list[Event], list[Unreadable]]:
    """The events and the others, each in their order."""
    events = [one for one in records if isinstance(one, Event)]
    if len(events) == len(records):
        return events, []
    return events, [one for one in records if isinstance(one, Unreadable)]


def readable_events(records: Sequence[Record]) -> list[Event]:
    """The events among ``records``."""
    return [one for one in records if isinstance(one, Event)]
