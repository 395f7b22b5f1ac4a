"""The received events of a feed, newest last, and which of them are shown.

A feed is bounded twice: by the number of its events, which the user chooses, and by their bytes in memory.
"""

from __future__ import annotations

import math
import sys
import time
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import compress
from operator import and_
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.feed_filter import FeedMatcher
from cdb_desktop.queries.query import Query

CAPACITY = 200_000  # events
LARGEST_SIZE = 128 * 2**20  # bytes: a million events of the usual size
_FREED_AT_ONCE = 16  # part of the bytes
_REMOVED_AT_ONCE = 2_000  # events
_BLOCK_BITS = 12  # of an id
_MOST_BLOCKS = 65_536  # some 40 MB: only a service that makes up ids has more


class Feed:
    """Each event has a number in the order of arrival; a row is an event that the filter shows.

    The oldest events are removed many at a time. Their ids are still known.
    """

    def __init__(
        self, capacity: int = CAPACITY, step: int = _REMOVED_AT_ONCE, largest_size: int = LARGEST_SIZE
    ) -> None:
        """Keeps at most ``capacity`` events that take ``largest_size`` bytes."""
        self.capacity = capacity
        self.largest_size = largest_size
        self.is_size_limited = False  # whether events had to be removed for their bytes
        self._step = step
        self._store = EventStore()
        self.removed = 0  # events, as the feed is bounded; also the number of the oldest one in the store
        self._rows = array("q")  # the numbers of the shown events, ascending
        self._cleared = 0  # events with lower numbers were cleared
        self.types: Counter[str] = Counter()  # the number of events by type
        self._ids = ReceivedIds()
        self._untested = array("q")  # the numbers of events before the first row that may be shown
        self.filter = Query()
        self._matcher = FeedMatcher(self.filter)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def __getitem__(self, row: int) -> Event:
        return self._store[self._rows[row] - self.removed]

    @property
    def end(self) -> int:
        """The number of the next event."""
        return self.removed + len(self._store)

    @property
    def size(self) -> int:
        """Bytes of memory that the events take."""
        return self._store.size

    @property
    def kept(self) -> int:
        """How many events the filter chooses from."""
        return self.end - max(self.removed, self._cleared)

    @property
    def cleared(self) -> int:
        """How many events were cleared and can be restored."""
        return max(0, self._cleared - self.removed)

    def copy(self, chosen: Query) -> Feed:
        """Another feed with the same events and another filter."""
        other = Feed(self.capacity, self._step, self.largest_size)
        other._store, other.removed, other._cleared = self._store.copy(), self.removed, self._cleared
        other.types, other._ids = self.types.copy(), self._ids.copy()
        other.set_filter(chosen)
        return other

    def number(self, row: int) -> int:
        """The number of the event in a row."""
        return self._rows[row]

    def row_from(self, number: int) -> int:
        """The first row whose event has this number or a higher one."""
        return bisect_left(self._rows, number)

    def take_unknown(self, events: Iterable[Event]) -> list[Event]:
        """The events whose ids were not known; now they are."""
        add = self._ids.add
        return [event for event in events if add(event.id)]

    def surplus(self, arriving: int) -> int:
        """How many of the oldest events have to be removed before ``arriving`` more are appended.

        Only events in the feed count by their bytes, so this is called after appending as well.
        """
        excess = len(self._store) + arriving - self.capacity
        surplus = 0 if excess <= 0 else max(excess, self._step)
        if self._store.size > self.largest_size:
            self.is_size_limited = True
            freed = self._store.size - self.largest_size + self.largest_size // _FREED_AT_ONCE
            surplus = max(surplus, self._store.oldest_of(freed))
        return min(len(self._store), surplus)

    def oldest(self, number: int) -> list[Event]:
        """The ``number`` oldest events, cleared or not."""
        return [self._store[place] for place in range(number)]

    def remove_oldest(self, number: int) -> None:
        """Removes the ``number`` oldest events."""
        self.types -= Counter(self._store.types(number))
        self._store.remove_oldest(number)
        self.removed += number
        del self._rows[: self.row_from(self.removed)]
        del self._untested[: bisect_left(self._untested, self.removed)]

    def shown(self, events: Sequence[Event], seconds: float = math.inf) -> list[bool]:
        """Whether each of the events will be shown, for as many as can be tested within ``seconds``.

        At least one is tested. Conditions that take no time are tested for all.
        """
        matches = self._matcher.matches
        if not self.is_slow:
            return list(map(matches, events))
        found, end = [], time.perf_counter() + seconds
        for event in events:
            found.append(matches(event))
            if time.perf_counter() > end:
                break
        return found

    def append(self, events: Sequence[Event], shown: Sequence[bool]) -> None:
        """Appends events that were unknown, oldest first, and what `shown` returned for them."""
        self._rows.extend(compress(range(self.end, self.end + len(events)), shown))
        self._store.append(events)
        self.types.update([event.type for event in events])

    @property
    def is_slow(self) -> bool:
        """Whether the filter has conditions that have to be tested for each event."""
        return self._matcher.rest is not None

    @property
    def untested(self) -> int:
        """How many of the oldest events `earlier_rows` still has to test."""
        return len(self._untested)

    def set_filter(self, chosen: Query) -> None:
        """Filters the events in the feed and later ones.

        Conditions that take long are tested by `earlier_rows`; until then there are no rows for these events.
        """
        self.filter = chosen
        self._matcher = FeedMatcher(chosen)
        first = max(self.removed, self._cleared)
        shown = self._store.matches(
            first - self.removed, self._matcher.matches_type, self._matcher.matches_user
        )
        numbers = array("q", compress(range(first, self.end), shown))
        self._rows, self._untested = (array("q"), numbers) if self.is_slow else (numbers, array("q"))

    def earlier_rows(self, seconds: float) -> array[int]:
        """Tests events for so long, the newest first; returns what `prepend` then shows."""
        found, matches, end = array("q"), self._matcher.rest, time.perf_counter() + seconds
        while self._untested and matches is not None and time.perf_counter() < end:
            number = self._untested.pop()
            if matches(self._store[number - self.removed]):
                found.append(number)
        found.reverse()
        return found

    def prepend(self, numbers: array[int]) -> None:
        """Shows events before the first row."""
        self._rows = numbers + self._rows

    def clear(self) -> None:
        """Shows only events received from now on."""
        self._cleared = self.end
        del self._rows[:]
        del self._untested[:]

    def restore_cleared(self) -> None:
        """Shows again what was cleared."""
        self._cleared = 0
        self.set_filter(self.filter)

    def forget_ids(self) -> None:
        """Forgets the known ids, which mean other events in another log."""
        self._ids = ReceivedIds()


class ReceivedIds:
    """A set of ids that takes a bit for each id in its range; of too many blocks the oldest is removed."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytearray] = {}

    def copy(self) -> ReceivedIds:
        """Another set with the same ids."""
        other = ReceivedIds()
        other._blocks = {number: block[:] for number, block in self._blocks.items()}
        return other

    def add(self, one: int) -> bool:
        """Adds an id; whether it is new."""
        block = self._blocks.get(one >> _BLOCK_BITS)
        if block is None:
            if len(self._blocks) >= _MOST_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            block = self._blocks[one >> _BLOCK_BITS] = bytearray(512)
        byte, bit = (one & 4095) >> 3, 1 << (one & 7)
        if block[byte] & bit:
            return False
        block[byte] |= bit
        return True


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NONE = -(2**63)  # which is no number of a record
# A day before the end of the calendar a time zone may have no such time.
_FIRST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LARGE = 2**63 - 1
_CACHED = 512  # events; those in view are requested again and again
_CACHED_BYTES = 4 * 2**20  # of their users' records
_COLUMNS = 40  # bytes of an event in all columns
_OVERHEAD = 200  # bytes of a value in a table

Predicate = Callable[[Event], bool]
Value = TypeVar("Value")


class _UserFields(NamedTuple):
    """The user of an event; ``user`` is the record as JSON."""

    id: int | None
    displayname: str | None
    session: str | None
    user: bytes


_NO_USER: tuple[Any, ...] = (None, None, None, b"{}")
_NO_NUMBERS = 0, 0, 0, 0


class _CommonFields(NamedTuple):
    """The fields that many events have in common."""

    type: str
    schema: str | None
    objecttype: str | None
    basetype: str | None
    instance: str | None  # after the @ of the global object id
    session_self: bool
    pollable: bool | None
    zone: tzinfo | None


_NO_COMMON: tuple[Any, ...] = ("", None, None, None, None, False, None, None)


class _ValueTable(Generic[Value]):
    """Stores each value once under a small number; values are looked up by their fields as a tuple.

    A value is removed when nothing uses it any more, and its number is used again.
    """

    def __init__(self, make: Callable[[tuple[Any, ...]], Value], nothing: tuple[Any, ...]) -> None:
        """``nothing`` are the fields of the value at unused numbers."""
        self.values: list[Value] = []
        self.size = 0  # bytes
        self._make, self._nothing = make, make(nothing)
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._parts: list[tuple[Any, ...]] = []
        self._uses: list[int] = []
        self._free: list[int] = []

    def copy(self) -> _ValueTable[Value]:
        """Another table with the same values."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict):
                setattr(other, name, value.copy())
        return other

    def number(self, parts: tuple[Any, ...]) -> int:
        """The number of a value, which the caller then passes to `use`."""
        number = self._numbers.get(parts)
        if number is None:
            self.size += _weight(parts)
            if self._free:
                number = self._free.pop()
                self.values[number], self._parts[number] = self._make(parts), parts
            else:
                number = len(self.values)
                self.values.append(self._make(parts))
                self._parts.append(parts)
                self._uses.append(0)
            self._numbers[parts] = number
        return number

    def use(self, numbers: array[int]) -> None:
        """Counts one more use for each of ``numbers``."""
        for number, times in Counter(numbers).items():
            self._uses[number] += times

    def release(self, numbers: array[int]) -> None:
        """Counts one use less for each of ``numbers``."""
        for number, times in Counter(numbers).items():
            self._uses[number] -= times
            if not self._uses[number]:
                self.size -= _weight(self._parts[number])
                del self._numbers[self._parts[number]]
                self.values[number], self._parts[number] = self._nothing, ()
                self._free.append(number)

    def freed(self, number: int, releases: Counter[int]) -> int:
        """The bytes that one more release frees after those in ``releases``; adds it there."""
        releases[number] += 1
        return _weight(self._parts[number]) if releases[number] == self._uses[number] else 0


class EventStore:
    """Events in the order of their arrival, of which the oldest can be removed."""

    def __init__(self) -> None:
        self._removed = 0
        self._ids, self._times, self._objects, self._versions = (array("q") for _ in range(4))
        self._common_numbers, self._user_numbers = array("I"), array("I")
        self._common = _ValueTable(_CommonFields._make, _NO_COMMON)
        self._user_fields = _ValueTable(_UserFields._make, _NO_USER)
        self._whole: dict[int, Event] = {}  # events that do not fit into the columns
        self._whole_sizes: dict[int, int] = {}
        self._whole_size = 0
        self._cache: dict[int, Event] = {}
        self._cache_size = 0
        self._users: dict[bytes, dict[str, object]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def size(self) -> int:
        """Bytes of memory that the events take."""
        return len(self._ids) * _COLUMNS + self._whole_size + self._common.size + self._user_fields.size

    def oldest_of(self, size: int) -> int:
        """How many of the oldest events take ``size`` bytes together; all if they take less."""
        freed, common_releases, user_releases = 0, Counter[int](), Counter[int]()
        for place, (common, user) in enumerate(zip(self._common_numbers, self._user_numbers, strict=True)):
            if freed >= size:
                return place
            freed += _COLUMNS + self._whole_sizes.get(self._removed + place, 0)
            freed += self._common.freed(common, common_releases)
            freed += self._user_fields.freed(user, user_releases)
        return len(self)

    def copy(self) -> EventStore:
        """Another store with the same events; immutable values are shared."""
        other = EventStore()
        for name, value in vars(self).items():
            if isinstance(value, array):
                setattr(other, name, value[:])
            elif isinstance(value, dict | _ValueTable):
                setattr(other, name, value.copy())
            else:
                setattr(other, name, value)
        other._cache, other._cache_size, other._users = {}, 0, {}
        return other

    def append(self, events: Sequence[Event]) -> None:
        """Appends events."""
        # Optimized: tens of thousands in a second must leave time for painting.
        common_number, user_number = self._common.number, self._user_fields.number
        place, columns = self._removed + len(self._ids), [column.append for column in self._columns()]
        add_id, add_time, add_object, add_version, add_common, add_user = columns
        for number, event in enumerate(events, place):
            common, numbers, user = _common_fields(event), _numbers(event), _user_fields(event)
            if common is None or numbers is None or user is None or not _fits(event):
                self._whole[number] = event
                self._whole_sizes[number] = weight = _weight(event)
                self._whole_size += weight
                common, numbers, user = _type_fields(event), _NO_NUMBERS, _NO_USER
            add_id(numbers[0])
            add_time(numbers[1])
            add_object(numbers[2])
            add_version(numbers[3])
            add_common(common_number(common))
            add_user(user_number(user))
        self._common.use(self._common_numbers[place - self._removed :])
        self._user_fields.use(self._user_numbers[place - self._removed :])

    def remove_oldest(self, number: int) -> None:
        """Removes the oldest events."""
        self._common.release(self._common_numbers[:number])
        self._user_fields.release(self._user_numbers[:number])
        for column in self._columns():
            del column[:number]
        self._removed += number
        for place in [place for place in self._whole if place < self._removed]:
            del self._whole[place]
            self._whole_size -= self._whole_sizes.pop(place)

    def __getitem__(self, place: int) -> Event:
        number = self._removed + place
        event = self._whole.get(number) or self._cache.get(number)
        if event is None:
            if len(self._cache) >= _CACHED or self._cache_size > _CACHED_BYTES:
                self._cache.clear()
                self._users.clear()
                self._cache_size = 0
            event = self._cache[number] = self._build(place)
        return event

    def types(self, number: int) -> list[str]:
        """The types of the ``number`` oldest events."""
        values = self._common.values
        return [values[common].type for common in self._common_numbers[:number]]

    def matches(self, first: int, matches_type: Predicate, matches_user: Predicate) -> bytearray:
        """1 for each event from the index ``first`` on that fulfills both predicates, else 0.

        One predicate depends on type and base type, the other on the user. Each is called once for each
        combination, so that the window does not wait for a million events.
        """
        by_type = [
            matches_type(Event(id=0, type=one.type, basetype=one.basetype)) for one in self._common.values
        ]
        by_user = [
            matches_user(Event(id=0, user_id=one.id, user_displayname=one.displayname))
            for one in self._user_fields.values
        ]
        found = bytearray(map(by_type.__getitem__, self._common_numbers[first:]))
        if not all(by_user):
            found = bytearray(map(and_, found, map(by_user.__getitem__, self._user_numbers[first:])))
        for number, event in self._whole.items():
            place = number - self._removed - first
            if place >= 0:
                found[place] = matches_type(event) and matches_user(event)
        return found

    def _columns(self) -> tuple[array[int], ...]:
        return self._ids, self._times, self._objects, self._versions, self._common_numbers, self._user_numbers

    def _build(self, place: int) -> Event:
        common = self._common.values[self._common_numbers[place]]
        user = self._user_fields.values[self._user_numbers[place]]
        moment, object_id, version = self._times[place], self._objects[place], self._versions[place]
        return Event(
            id=self._ids[place],
            type=common.type,
            timestamp=None if moment == _NONE else (_EPOCH + moment * _MICROSECOND).astimezone(common.zone),
            schema=common.schema,
            objecttype=common.objecttype,
            basetype=common.basetype,
            global_object_id=None if common.instance is None else f"{object_id}@{common.instance}",
            object_id=None if object_id == _NONE else object_id,
            object_version=None if version == _NONE else version,
            session_self=common.session_self,
            pollable=common.pollable,
            user_id=user.id,
            user_displayname=user.displayname,
            user=self._user(user.user),
            session_token=user.session,
        )

    def _user(self, record: bytes) -> dict[str, object]:
        user = self._users.get(record)
        if user is None:
            self._cache_size += len(record)
            user = self._users[record] = msgspec.json.decode(record)
        return user


def _fits(event: Event) -> bool:
    return not (
        event.info is not None
        or event.unknown
        or event.ipv4_address is not None
        or event.session_created is not None
        or event.session_expired is not None
    )


def _common_fields(event: Event) -> tuple[Any, ...] | None:
    """The fields for `_CommonFields`, None if its global id cannot be built from the others."""
    whole, instance, moment = event.global_object_id, None, event.timestamp
    if whole is not None:
        instance = whole.partition("@")[2]
        if event.object_id is None or whole != f"{event.object_id}@{instance}":
            return None
    return (
        event.type,
        event.schema,
        event.objecttype,
        event.basetype,
        instance,
        event.session_self,
        event.pollable,
        None if moment is None else moment.tzinfo,
    )


def _numbers(event: Event) -> tuple[int, int, int, int] | None:
    """Id, time, object id and version; None if one is too large."""
    moment, object_id, version = event.timestamp, event.object_id, event.object_version
    since = _NONE if moment is None else (moment - _EPOCH) // _MICROSECOND
    if since != _NONE and not _FIRST <= since <= _LAST:
        return None
    numbers = (
        event.id,
        since,
        _NONE if object_id is None else object_id,
        _NONE if version is None else version,
    )
    return numbers if min(numbers) >= _NONE and max(numbers) <= _LARGE else None


def _type_fields(event: Event) -> tuple[Any, ...]:
    return event.type, None, None, event.basetype, None, False, None, None


def _user_fields(event: Event) -> tuple[Any, ...] | None:
    try:
        user = msgspec.json.encode(event.user) if event.user else b"{}"
    except (msgspec.MsgspecError, OverflowError):
        return None  # JSON has larger numbers than msgspec encodes
    return event.user_id, event.user_displayname, event.session_token, user


def _weight(value: object) -> int:
    """Bytes of memory that an event or the fields of a value take with everything in them."""
    size, waiting = _OVERHEAD, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.Raw):
            size += memoryview(one).nbytes  # getsizeof does not know its size
            continue
        size += sys.getsizeof(one)
        if isinstance(one, Mapping):
            waiting += (*one.keys(), *one.values())
        elif isinstance(one, tuple | list):
            waiting += one
        elif isinstance(one, Event):
            waiting += msgspec.structs.astuple(one)
    return size
