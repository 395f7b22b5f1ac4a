"""Stores events in columns, some fifty bytes each, and returns them as they came."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta, tzinfo
from operator import and_
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from cdb_desktop.client import Event

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
