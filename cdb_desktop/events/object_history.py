"""The history of an object: all of its events, its versions, and what each version has changed.

Some services filter the list by object, so that one call is enough. The list of others has no such filter
(§4.3), but can be sorted by object id: the first event of the object is then found by bisection, and the
others follow it. Where a service does not sort so, the events of all types that concern objects are scanned
by id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any, Protocol

import msgspec

from cdb_desktop.client import (
    ApiError,
    Event,
    EventFilter,
    EventPage,
    ObjectVersion,
    Record,
    ServiceError,
    Sort,
)
from cdb_desktop.events.counts import call_each
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import PAGE_SIZE, split_records
from cdb_desktop.vocabulary.event_types import EventFamily, family_of

BY_OBJECT = (Sort("object_id"), Sort("_id"))
BY_ID = (Sort("_id"),)

# Known types whose events concern no object.
_WITHOUT_OBJECTS = frozenset(
    {
        "API_CALL",
        "API_PROGRESS",
        "BASE_CONFIG_UPDATE",
        "EMAIL_SENT",
        "FRONTEND_ERROR",
        "LOGIN_FAILED",
        "SCHEMA_COMMIT",
        "SERVER_SHUTDOWN",
        "SERVER_START",
        "WEBHOOK_ERROR",
        "WEBHOOK_OK",
    }
)
_FIRST_PAGE = 200  # rows; most objects have fewer events
_SOME = 50  # rows to read for an event if the first one cannot be read
# Rows before the first one of the object from which to read; more where others change rows meanwhile.
_STEPS_BACK = (1, 1, 10, 100, 150)


class ObjectKey(msgspec.Struct, frozen=True):
    """What names an object: its id with its object type, or for objects of the system with its base type."""

    object_id: int
    objecttype: str = ""
    basetype: str = ""

    @classmethod
    def of(cls, event: Event | None) -> ObjectKey | None:
        """The object of an event, None if the event concerns none."""
        if event is None or event.object_id is None:
            return None
        return cls(event.object_id, event.objecttype or "", "" if event.objecttype else event.basetype or "")

    def matches(self, event: Event) -> bool:
        """Whether an event concerns this object."""
        return event.object_id == self.object_id and ObjectKey.of(event) == self


class HistoryProgress(msgspec.Struct, frozen=True):
    """How far the events have been read.

    ``found`` are events of the object. ``searched`` are the events that were read, of ``total``, None if that
    is unknown. ``is_scan``: all events are read, since the service does not sort them by object.
    """

    found: int = 0
    searched: int = 0
    total: int | None = None
    is_scan: bool = False

    @property
    def fraction(self) -> float | None:
        """What is done of a scan, from 0 to 1; None if that is unknown."""
        return min(1.0, self.searched / self.total) if self.is_scan and self.total else None


class ObjectHistory(msgspec.Struct, frozen=True):
    """Events of an object, oldest first.

    ``is_complete``: all of them were found, apart from ``unreadable`` records, which might belong to it.
    ``types``: only events of these types were searched; empty for all types.
    """

    key: ObjectKey
    events: tuple[Event, ...] = ()
    is_complete: bool = False
    unreadable: int = 0
    types: tuple[str, ...] = ()


class HistorySource(Protocol):
    """The calls to the service; all of them may raise ClientError."""

    @property
    def filters_by_object(self) -> bool:
        """Whether the list has a filter for the events of an object, and counts them in each answer."""

    async def page(self, chosen: EventFilter, limit: int) -> EventPage:
        """The first records by ascending id, with their number."""

    async def count(self, chosen: EventFilter) -> int | None:
        """The number of events that match, None if the service does not return it."""

    async def records(
        self, chosen: EventFilter, sort: tuple[Sort, ...], offset: int, limit: int
    ) -> Sequence[Record]:
        """Short records from a row on."""


OnHistory = Callable[[ObjectHistory, HistoryProgress], None]


def object_types(known: Iterable[str]) -> tuple[str, ...]:
    """The types of events that may concern objects, out of those that are known."""
    return tuple(sorted(set(known) - _WITHOUT_OBJECTS))


async def read_history(
    source: HistorySource,
    key: ObjectKey,
    types: Sequence[str],
    on_progress: OnHistory,
    since: datetime | None = None,
) -> ObjectHistory:
    """All events of an object. Raises what ``source`` raises.

    ``on_progress`` gets the events found so far, which are not complete. ``types`` are those to scan if the
    service does not sort by object. ``since``: the time at which the object was inserted, if it is known;
    a scan begins there.
    """
    if source.filters_by_object:
        return await _read_filtered(source, key, on_progress)
    # Objects of the system can be filtered by base type.
    chosen = EventFilter(base_type=(key.basetype,)) if key.basetype else EventFilter()
    try:
        return await _SortedReader(source, key, chosen, on_progress).read()
    except (_UnsortedError, ApiError):
        chosen = EventFilter(base_type=chosen.base_type, type=tuple(types), date_from=since)
        return await _scan(source, key, chosen, on_progress)


async def _read_filtered(source: HistorySource, key: ObjectKey, on_progress: OnHistory) -> ObjectHistory:
    """Reads the events that the service finds; more than a page of them by ascending id, as for a scan."""
    types, base_types = (((one,) if one else ()) for one in (key.objecttype, key.basetype))
    chosen = EventFilter(object_id=(key.object_id,), objecttype=types, base_type=base_types)
    page = await source.page(chosen, PAGE_SIZE)
    if page.count is None or page.count > len(page.records):
        return await _scan(source, key, chosen, on_progress)
    events = tuple(event for event in page.events if key.matches(event))
    return ObjectHistory(key, events, True, len(page.unreadable))


class _UnsortedError(Exception):
    """The rows are not sorted by object id, or change all the time."""


class _MovedError(Exception):
    """Rows were added or deleted before the place that was read."""


class _SortedReader:
    """Reads the rows of an object out of a list sorted by object id and id."""

    def __init__(
        self, source: HistorySource, key: ObjectKey, chosen: EventFilter, on_progress: OnHistory
    ) -> None:
        self._source, self._key, self._chosen = source, key, chosen
        self._on_progress = on_progress
        self._found: dict[int, Event] = {}
        self._unreadable = 0
        self._read = 0
        self._nulls_first = True

    async def read(self) -> ObjectHistory:
        """The history. Raises _UnsortedError and what ``source`` raises."""
        for back in _STEPS_BACK:
            self._unreadable = 0
            try:
                await self._read_rows(await self._first_row() - back)
            except _MovedError:
                continue
            return self._history(is_complete=True)
        raise _UnsortedError

    async def _read_rows(self, first: int) -> None:
        """Reads from a row before those of the object, which proves that none is missing.

        Every page begins with the last event of the page before it.
        """
        offset, last, limit = max(0, first), None, _FIRST_PAGE
        while True:
            page = await self._source.records(self._chosen, BY_OBJECT, offset, limit)
            self._read += len(page)
            events, _ = split_records(page)
            ranks = [self._rank(event) for event in events]
            if ranks != sorted(ranks):
                raise _UnsortedError
            if last is None and offset == 0 and not page:
                return
            if last is None:
                is_moved = not events or (offset > 0 and ranks[0] >= self._key.object_id)
            else:
                is_moved = all(event.id != last for event in events)
            if is_moved:
                raise _MovedError
            self._take(events)
            self._count_unreadable(page)
            if ranks[-1] > self._key.object_id:
                return
            if events[-1].id == last:
                if len(page) == limit > 1:
                    raise _UnsortedError  # nothing after it can be read
                return
            offset += next(place for place in range(len(page) - 1, -1, -1) if page[place] is events[-1])
            last, limit = events[-1].id, PAGE_SIZE

    def _count_unreadable(self, page: Sequence[Record]) -> None:
        """Counts the records that cannot be read and may be among those of the object."""
        number = 0
        for record in page:
            if not isinstance(record, Event):
                number += 1
            elif self._rank(record) > self._key.object_id:
                break
            elif self._rank(record) < self._key.object_id:
                number = 0
        self._unreadable += number

    def _take(self, events: Sequence[Event]) -> None:
        before = len(self._found)
        self._found |= {event.id: event for event in events if self._key.matches(event)}
        if len(self._found) > before:
            progress = HistoryProgress(len(self._found), self._read)
            self._on_progress(self._history(is_complete=False), progress)

    def _history(self, *, is_complete: bool) -> ObjectHistory:
        events = tuple(self._found[number] for number in sorted(self._found))
        return ObjectHistory(self._key, events, is_complete, self._unreadable)

    async def _first_row(self) -> int:
        """The first row whose object id is not less, by bisection. Raises _UnsortedError."""
        total = await self._source.count(self._chosen)
        top = await self._rank_at(0, is_top=True)
        if top is None:
            return 0
        # Bisection alone would not notice that a service ignores the order.
        page = await self._source.records(self._chosen, BY_OBJECT, 0, _FIRST_PAGE)
        ranks = [self._rank(event) for event in split_records(page)[0]]
        if ranks != sorted(ranks):
            raise _UnsortedError
        low, high = 0, total if total is not None else await self._end()
        while low < high:
            row = (low + high) // 2
            rank = await self._rank_at(row)
            if rank is None or rank >= self._key.object_id:
                high = row
            else:
                low = row + 1
        return low

    async def _end(self) -> int:
        """A row at or after the end of the object's rows, where the service does not count."""
        row = PAGE_SIZE
        while (rank := await self._rank_at(row)) is not None and rank < self._key.object_id:
            row *= 2
        return row

    async def _rank_at(self, row: int, *, is_top: bool = False) -> float | None:
        """The object id in a row, or in the next row that can be read; None beyond the end."""
        for limit in (1, _SOME, PAGE_SIZE):
            page = await self._source.records(self._chosen, BY_OBJECT, row, limit)
            self._read += len(page)
            events, _ = split_records(page)
            if events:
                if is_top:
                    # Rows without an object are together at either end (wire §3).
                    self._nulls_first = events[0].object_id is None
                self._take(events)
                return self._rank(events[0])
            if len(page) < limit:
                return None
        raise _UnsortedError

    def _rank(self, event: Event) -> float:
        """The object id, for rows without an object a value at their end of the list."""
        if event.object_id is not None:
            return event.object_id
        return float("-inf") if self._nulls_first else float("inf")


async def _scan(
    source: HistorySource, key: ObjectKey, chosen: EventFilter, on_progress: OnHistory
) -> ObjectHistory:
    """Reads all events that match the filter by ascending id."""
    total = await source.count(chosen)
    found: list[Event] = []
    searched = unreadable = 0
    on_progress(ObjectHistory(key, types=chosen.type), HistoryProgress(0, 0, total, is_scan=True))

    def fetch(offset: int) -> Awaitable[Sequence[Record]]:
        return source.records(chosen, BY_ID, offset, PAGE_SIZE)

    async for page in read_pages(fetch):
        events, broken = split_records(page)
        found += (event for event in events if key.matches(event))
        searched, unreadable = searched + len(page), unreadable + len(broken)
        history = ObjectHistory(key, tuple(found), False, unreadable, chosen.type)
        on_progress(history, HistoryProgress(len(found), searched, total, is_scan=True))
    return ObjectHistory(key, tuple(found), True, unreadable, chosen.type)


ReadVersion = Callable[[int | None], Awaitable[ObjectVersion | None]]

_AT_ONCE = 4  # calls
MAX_VERSIONS = 500  # that are compared; each takes a call
# A service does not keep the version, or has none of this number.
_NOT_KEPT = frozenset({"old_schema_missing", "instance_not_found"})


class FieldChangeKind(Enum):
    """How a value differs; the value is the sign that is shown."""

    ADDED = "+"
    REMOVED = "−"
    CHANGED = "~"
    REORDERED = "↕"


class ItemId(msgspec.Struct, frozen=True):
    """A step of a path into a list whose items have ids: the item with this ``_id``."""

    value: int | str


# A key of an object, a place in a list, or the id of an item.
Step = str | int | ItemId


class FieldChange(msgspec.Struct, frozen=True):
    """A difference at one place.

    ``before`` and ``after`` are the values, None where there is none. Of a REORDERED list they are the ids of
    its items in the order before and after, without items that were removed and with those that were added.
    """

    path: tuple[Step, ...]
    kind: FieldChangeKind
    before: Any = None
    after: Any = None

    @property
    def path_text(self) -> str:
        """The path as text, such as ``work__part #12 label``; empty for the whole value."""
        return " ".join(_step_text(step) for step in self.path)

    @property
    def sign(self) -> str:
        """The kind as users see it: a value in place of null was added, null in place of a value removed."""
        if self.kind is FieldChangeKind.CHANGED and self.before is None:
            return FieldChangeKind.ADDED.value
        if self.kind is FieldChangeKind.CHANGED and self.after is None:
            return FieldChangeKind.REMOVED.value
        return self.kind.value


class VersionChanges(msgspec.Struct, frozen=True):
    """What a version has changed; of the first version all of its values.

    ``is_kept``: the service has the version. ``is_comparable``: it has the version before as well. Otherwise
    there are no ``changes``.
    """

    number: int
    changes: tuple[FieldChange, ...] = ()
    modified: datetime | None = None
    is_kept: bool = True
    is_comparable: bool = True


class VersionsNotOfferedError(Exception):
    """The service does not offer old versions of objects."""


async def read_newest(read: ReadVersion) -> int:
    """The number of the newest version. Raises VersionsNotOfferedError and what ``read`` raises."""
    found = await read(None)
    if found is None or found.version is None:
        raise VersionsNotOfferedError
    return found.version


async def read_changes(read: ReadVersion, numbers: Iterable[int]) -> AsyncGenerator[VersionChanges, None]:
    """The changes of versions by ascending number; the calls are made a few at a time.

    Raises VersionsNotOfferedError, and what ``read`` raises unless the service does not keep a version.
    """
    wanted, known = set(numbers), dict[int, ObjectVersion | None]()
    needed = sorted({one for number in wanted for one in (number - 1, number) if one > 0})
    async with aclosing(call_each(partial(_kept, read), needed, _AT_ONCE)) as versions:
        async for number, version in versions:
            if number in wanted:
                yield await asyncio.to_thread(_changes_of, number, known.get(number - 1), version)
            known = {number: version}


async def _kept(read: ReadVersion, number: int) -> ObjectVersion | None:
    """A version, None if the service does not keep it."""
    try:
        found = await read(number)
    except ServiceError as error:
        if error.name in _NOT_KEPT:
            return None
        raise
    if found is None:
        raise VersionsNotOfferedError
    return found


def _changes_of(number: int, before: ObjectVersion | None, after: ObjectVersion | None) -> VersionChanges:
    if after is None:
        return VersionChanges(number, is_kept=False, is_comparable=False)
    if before is None and number > 1:
        return VersionChanges(number, modified=after.modified, is_comparable=False)
    changes = differences({} if before is None else before.values, after.values)
    return VersionChanges(number, changes, after.modified)


class TimelineEntry(msgspec.Struct, frozen=True):
    """An event of the object, or a version without an event.

    ``version``: the version that was created here, None if the event has created none.
    """

    event: Event | None
    version: int | None = None


def timeline(events: Sequence[Event], newest: int | None) -> tuple[TimelineEntry, ...]:
    """The events, oldest first, and among them the versions that no event has created.

    ``newest`` is the number of the newest version, None if the service does not offer versions. Only the last
    `MAX_VERSIONS` are included.
    """
    created: dict[int, int] = {}
    for event in events:
        if event.object_version is not None and family_of(event.type) is EventFamily.WRITING:
            created.setdefault(event.object_version, event.id)
    without_event = [number for number in version_numbers(newest) if number not in created]
    entries: list[TimelineEntry] = []
    for event in events:
        version = event.object_version
        while version is not None and without_event and without_event[0] <= version:
            entries.append(TimelineEntry(None, without_event.pop(0)))
        is_creation = version is not None and created.get(version) == event.id
        entries.append(TimelineEntry(event, version if is_creation else None))
    return (*entries, *(TimelineEntry(None, number) for number in without_event))


def version_numbers(newest: int | None) -> range:
    """The last `MAX_VERSIONS` versions up to the newest one."""
    return range(max(1, newest - MAX_VERSIONS + 1), newest + 1) if newest is not None else range(0)


def value_text(value: Any) -> str:
    """A value as a short text: a linked object as its type and id, others as their members."""
    if isinstance(value, Mapping) and value:
        kind = value.get("_objecttype")
        target = value.get(kind) if isinstance(kind, str) else None
        if isinstance(target, Mapping) and "_id" in target:
            return f"{kind} {target['_id']}"
        pairs = ((key, one) for key, one in value.items() if key != "_id" or len(value) == 1)
        return ", ".join(f"{_step_text(key)}: {value_text(one)}" for key, one in pairs)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, list) and value:
        return "; ".join(value_text(one) for one in value)
    return msgspec.json.encode(value).decode()


def differences(before: Any, after: Any) -> tuple[FieldChange, ...]:
    """The differences of two JSON values.

    Objects are compared by key, lists by the ids of their items if all of them have different ones, otherwise
    by place. ``1`` and ``true`` differ, ``1`` and ``1.0`` do not.
    """
    return tuple(_differences((), before, after))


def _differences(path: tuple[Step, ...], before: Any, after: Any) -> list[FieldChange]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return _of_objects(path, before, after)
    if isinstance(before, list) and isinstance(after, list):
        old, new = _by_id(before), _by_id(after)
        if old is None or new is None:
            return _of_lists(path, before, after)
        return _of_items(path, old, new)
    return [] if _is_same(before, after) else [FieldChange(path, FieldChangeKind.CHANGED, before, after)]


def _of_objects(
    path: tuple[Step, ...], before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[FieldChange]:
    found: list[FieldChange] = []
    for key in (*before, *(key for key in after if key not in before)):
        if key not in after:
            found.append(FieldChange((*path, key), FieldChangeKind.REMOVED, before[key]))
        elif key not in before:
            found.append(FieldChange((*path, key), FieldChangeKind.ADDED, None, after[key]))
        else:
            found += _differences((*path, key), before[key], after[key])
    return found


def _of_lists(path: tuple[Step, ...], before: list[Any], after: list[Any]) -> list[FieldChange]:
    found: list[FieldChange] = []
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        found += _differences((*path, place), old, new)
    common = min(len(before), len(after))
    # From the end, so that each place is that in the list as it is then.
    for place in range(len(before) - 1, common - 1, -1):
        found.append(FieldChange((*path, place), FieldChangeKind.REMOVED, before[place]))
    for place in range(common, len(after)):
        found.append(FieldChange((*path, place), FieldChangeKind.ADDED, None, after[place]))
    return found


_Items = dict[int | str, Any]


def _of_items(path: tuple[Step, ...], before: _Items, after: _Items) -> list[FieldChange]:
    found: list[FieldChange] = []
    for number, item in before.items():
        if number not in after:
            found.append(FieldChange((*path, ItemId(number)), FieldChangeKind.REMOVED, item))
        else:
            found += _differences((*path, ItemId(number)), item, after[number])
    added = [number for number in after if number not in before]
    found += [
        FieldChange((*path, ItemId(number)), FieldChangeKind.ADDED, None, after[number]) for number in added
    ]
    expected, order = [*(number for number in before if number in after), *added], list(after)
    if expected != order:
        found.append(FieldChange(path, FieldChangeKind.REORDERED, expected, order))
    return found


def _by_id(items: list[Any]) -> _Items | None:
    """The items by their ``_id``, None unless each has one of its own."""
    found: _Items = {}
    for item in items:
        number = item.get("_id") if isinstance(item, Mapping) else None
        if isinstance(number, bool) or not isinstance(number, int | str) or number in found:
            return None
        found[number] = item
    return found


def _is_same(before: Any, after: Any) -> bool:
    return isinstance(before, bool) is isinstance(after, bool) and bool(before == after)


def _step_text(step: Step) -> str:
    if isinstance(step, ItemId):
        return f"#{step.value}"
    return f"[{step}]" if isinstance(step, int) else step.removeprefix("_nested:")
