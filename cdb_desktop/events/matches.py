"""The rows of a query with conditions, which the service cannot test: all that it lists is searched."""

from __future__ import annotations

import asyncio
import re
from array import array
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import isnan, nan

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record, Sort
from cdb_desktop.events.result import PAGE_SIZE, QueryResult, split_records
from cdb_desktop.queries.query import NEWEST_FIRST, ResolvedQuery
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, NearMiss, PatternKind

_EXAMINED = 300  # events whose words are read at first
_EXAMINED_OF_KIND = 10
_SLICE = 500  # events that are tested in one call of the thread

_KEYS: dict[str, Callable[[Event], int | str | float | None]] = {
    "_id": lambda event: event.id,
    "timestamp": lambda event: None if event.timestamp is None else event.timestamp.timestamp(),
    "type": lambda event: event.type,
    "schema": lambda event: event.schema,
    "object_id": lambda event: event.object_id,
    "object_version": lambda event: event.object_version,
    "user_generated_displayname": lambda event: event.user_displayname,
}

_NUMBERED = re.compile(r"(?:(\S+) )?(\d{1,18})(?: v\d+)?", re.ASCII | re.IGNORECASE)

OnMatches = Callable[[Sequence[int]], None]


class SearchProgress(msgspec.Struct, frozen=True):
    """The progress of a search; ``total`` is None if the events have not been counted.

    ``searched`` includes the ``unreadable`` records, which cannot be tested.
    """

    searched: int = 0
    total: int | None = None
    unreadable: int = 0

    @property
    def fraction(self) -> float | None:
        """What is done, from 0 to 1."""
        return min(1.0, self.searched / self.total) if self.total else None


def filter_for_objects(
    chosen: EventFilter, conditions: Iterable[Condition], tables: Iterable[str]
) -> EventFilter:
    """The filter without events that fail a condition for an object, for services that filter by objects.

    ``tables`` are the names of known object types that are no base types.
    """
    for one in conditions:
        words = " ".join(one.text.split())
        if one.kind is not PatternKind.OBJECT or one.is_excluded:
            continue
        numbered = _NUMBERED.fullmatch(words)
        table = (words if numbered is None else numbered[1] or "").casefold()
        types = tuple(sorted(name for name in tables if name.casefold() == table))
        if numbered is not None:
            chosen = replace(chosen, object_id=(int(numbered[2]),))
        if types:
            chosen = replace(chosen, objecttype=types)
        if types or numbered is not None:
            return chosen
    return chosen


class NearMisses:
    """The events that fail only one condition or word, while none was found that meets all.

    ``numbers`` of events by condition, those of ``words`` and their ``types`` by condition and missing word.
    ``occurring`` are words of such events, of which some are examined: any of them finds an event in place of
    the missing word. ``several`` are the words of some events of each kind in which more than one is missing.
    """

    def __init__(self) -> None:
        self.numbers: Counter[Condition] = Counter()
        self.words: Counter[tuple[Condition, str]] = Counter()
        self.types: dict[tuple[Condition, str], Counter[str]] = {}
        self.occurring: dict[tuple[Condition, str], set[str]] = {}
        self.several: dict[tuple[Condition, tuple[str, ...]], dict[tuple[str, str], list[set[str]]]] = {}

    def add(self, near: NearMiss) -> None:
        """Adds an event."""
        self.numbers[near.condition] += 1
        event = near.event.event
        if len(near.missing) != 1:
            if near.missing:
                kinds = self.several.setdefault((near.condition, near.missing), {})
                examined = kinds.setdefault((event.type, event.objecttype or ""), [])
                if len(examined) < _EXAMINED_OF_KIND:
                    examined.append(near.event.words)
            return
        word = near.missing[0]
        key = near.condition, word
        self.words[key] += 1
        self.types.setdefault(key, Counter())[event.type] += 1
        # From events of all times, but ever fewer, since this takes long.
        is_examined = self.words[key] % (1 + self.words[key] // _EXAMINED) == 0
        if is_examined and not word.isdecimal():
            self.occurring.setdefault(key, set()).update(near.event.words)


class MatchedResult(QueryResult):
    """The matches found so far. Their ids are kept; pages that were dropped are fetched again by id.

    ``total`` is None until the search has ended, and then the number of matches. A search that was stopped
    has ended, too, but is not ``is_complete``.
    """

    def __init__(self, resolved_query: ResolvedQuery, newest: int | None, capacity: int = 64) -> None:
        super().__init__(resolved_query, (), capacity)
        self.matcher = EventMatcher(resolved_query.conditions)
        self.near_misses = NearMisses()
        self.newest = newest
        self.total = None
        self.is_counted = True
        self.is_complete = False
        self.progress = SearchProgress()
        self.columns = EventColumns()
        self._ids, self._row_times = array("q"), array("d")
        self._unsorted: list[Event] = []

    @property
    def rows(self) -> int:
        """The number of matches so far; none while they cannot be put in order yet."""
        return len(self._ids)

    @property
    def unreadable(self) -> int:
        """The number of records that could not be read, and are not known to match."""
        return self.progress.unreadable

    @property
    def found(self) -> int:
        """The number of matches, also of those that are not rows yet."""
        return len(self._ids) + len(self._unsorted)

    @property
    def is_streamed(self) -> bool:
        """Whether rows are shown as they are found, because the search goes in their order."""
        return self.resolved_query.order[0].field == NEWEST_FIRST.field

    @property
    def descends(self) -> bool:
        """Whether the search begins with the newest event."""
        return not self.is_streamed or self.resolved_query.order[0].descending

    @property
    def ids(self) -> Sequence[int]:
        """The ids of the rows."""
        return self._ids

    def extend(self, events: Sequence[Event]) -> Sequence[int]:
        """Adds matches in the order of the search; returns the pages that have changed."""
        self.columns.add(events)
        if not self.is_streamed:
            self._unsorted.extend(events)
            return ()
        return self._append(events)

    def end(self, *, is_complete: bool) -> Sequence[int]:
        """The search has ended; returns the pages that have changed."""
        self.is_complete = is_complete
        changed = self._append(sorted_events(self._unsorted, self.resolved_query.order))
        self._unsorted = []
        self.total = len(self._ids)
        return changed

    def length(self, number: int) -> int:
        """The number of rows of a page."""
        return max(0, min(PAGE_SIZE, len(self._ids) - number * PAGE_SIZE))

    def page_ids(self, number: int) -> Sequence[int]:
        """The ids of the rows of a page."""
        return self._ids[number * PAGE_SIZE : (number + 1) * PAGE_SIZE]

    def restore(self, number: int, events: Sequence[Event]) -> None:
        """Stores a page that was fetched again by id; rows of deleted events are removed."""
        by_id = {event.id: event for event in events}
        first = number * PAGE_SIZE
        rows = range(first, first + self.length(number))
        kept = [row for row in rows if self._ids[row] in by_id]
        if len(kept) < len(rows):
            self._row_times[first : rows.stop] = array("d", [self._row_times[row] for row in kept])
            self._ids[first : rows.stop] = array("q", [self._ids[row] for row in kept])
            # All rows below have moved.
            for other in [one for one in self._pages if one >= number]:
                self._drop(other)
            self.total = None if self.total is None else len(self._ids)
        else:
            self._store(number, [by_id[self._ids[row]] for row in kept])

    def missing_pages(self, first: int, last: int) -> tuple[int, ...]:
        """The pages of the rows ``first`` to ``last`` that have been dropped."""
        pages = range(max(0, first) // PAGE_SIZE, max(0, last) // PAGE_SIZE + 1)
        return tuple(one for one in pages if len(self._pages.get(one, ())) < self.length(one))

    def row_of(self, event_id: int) -> int | None:
        """The row of an event, None if it is not among the matches."""
        try:
            return self._ids.index(event_id)
        except ValueError:
            return None

    def row_at(self, moment: datetime) -> int | None:
        """The row of the first event at or after ``moment`` in an order by time, None if all are earlier."""
        wanted = moment.timestamp()
        rows = range(len(self._row_times))
        order = rows if not self.resolved_query.order[0].descending else reversed(rows)
        return next((row for row in order if self._row_times[row] >= wanted), None)

    def _append(self, events: Sequence[Event]) -> Sequence[int]:
        first, place = len(self._ids), 0
        self._ids.extend(event.id for event in events)
        self._row_times.extend(nan if one.timestamp is None else one.timestamp.timestamp() for one in events)
        changed = range(first // PAGE_SIZE, -(-len(self._ids) // PAGE_SIZE)) if events else range(0)
        for number in changed:
            before = self._pages.get(number, ())
            room = self.length(number) - max(0, first - number * PAGE_SIZE)
            if len(before) == max(0, first - number * PAGE_SIZE):
                self._store(number, [*before, *events[place : place + room]])
            place += room
        return changed


async def search_matches(
    pages: AsyncIterator[Sequence[Record]], result: MatchedResult, on_matches: OnMatches
) -> None:
    """Adds the matches in ``pages`` to the result; ``on_matches`` gets the pages of rows that have changed.

    Events are tested in a thread, so that a slow expression does not block the event loop. Raises what
    ``pages`` raises; the result has ended then, too.
    """
    is_complete = False
    try:
        async for page in pages:
            events, unreadable = split_records(page)
            found: list[Event] = []
            for first in range(0, len(events), _SLICE):
                near = None if result.found or found else result.near_misses
                some = events[first : first + _SLICE]
                found += await asyncio.to_thread(_matching, result.matcher, some, near)
            before = result.progress
            result.progress = SearchProgress(
                before.searched + len(page),
                before.total,
                before.unreadable + len(unreadable),
            )
            on_matches(result.extend(found))
        is_complete = True
    finally:
        on_matches(result.end(is_complete=is_complete))


def sorted_events(events: Sequence[Event], order: Sequence[Sort]) -> list[Event]:
    """Events in the order that the service would list them in: those without a value before all others."""
    found = list(events)
    for sort in reversed(order):
        key = _KEYS.get(sort.field)
        if key is not None:
            found.sort(key=_with_missing(key), reverse=sort.descending)
    return found


def sort_values(event: Event, order: Sequence[Sort]) -> tuple[int | str | float | None, ...]:
    """The values of the event by which the service sorts it: those of ``order``, then its id.

    Raises KeyError if a field is none of `SORT_FIELDS`.
    """
    return (*(_KEYS[sort.field](event) for sort in order), event.id)


def _with_missing(
    key: Callable[[Event], int | str | float | None],
) -> Callable[[Event], tuple[bool, int | str | float]]:
    def with_missing(event: Event) -> tuple[bool, int | str | float]:
        value = key(event)
        return (False, 0) if value is None else (True, value)

    return with_missing


def _matching(matcher: EventMatcher, events: Sequence[Event], near_misses: NearMisses | None) -> list[Event]:
    found: list[Event] = []
    for place, event in enumerate(events):
        if near_misses is None or found:
            return [*found, *filter(matcher.matches, events[place:])]
        failing = matcher.failing(event)
        if isinstance(failing, NearMiss):
            near_misses.add(failing)
        elif not failing:
            found.append(event)
    return found


_MOST_TEXTS = 0xFFFF
_HIGHEST = 2**63 - 1  # a user with a higher number is counted as none


class EventColumns:
    """What is counted of events, in about 30 bytes each: type, time, user, base type and object type."""

    def __init__(self) -> None:
        self._times, self._users = array("d"), array("q")
        self._names = array("H")  # three of each event, as places in `_texts`
        self._texts: dict[str, int] = {"": 0}

    def add(self, events: Iterable[Event]) -> None:
        """Appends events."""
        for event in events:
            self._times.append(nan if event.timestamp is None else event.timestamp.timestamp())
            user = event.user_id
            self._users.append(user if user is not None and 0 <= user <= _HIGHEST else -1)
            for text in (event.type, event.basetype or "", event.objecttype or ""):
                # A service with more names than fit would be counted under the last one.
                place = self._texts.setdefault(text, min(len(self._texts), _MOST_TEXTS))
                self._names.append(place)

    def __len__(self) -> int:
        return len(self._times)

    def events(self) -> Iterator[Event]:
        """Events with only these fields."""
        texts = {place: text for text, place in reversed(self._texts.items())}
        for at, time_ in enumerate(self._times):
            kind, base, object_type = (texts[self._names[3 * at + part]] for part in range(3))
            yield Event(
                id=0,
                type=kind,
                timestamp=None if isnan(time_) else _moment(time_),
                user_id=None if self._users[at] < 0 else self._users[at],
                basetype=base or None,
                objecttype=object_type or None,
            )


def _moment(time: float) -> datetime:
    """The time in UTC, or the end of the calendar that it is beyond of in UTC."""
    try:
        return datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError):
        return datetime(1, 1, 1, tzinfo=UTC) if time < 0 else datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
