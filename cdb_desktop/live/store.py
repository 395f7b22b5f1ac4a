"""Keeps very many events in columns, some fifty bytes each, and gives them back as they came. No I/O."""

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
_NONE = -(2**63)  # no number of a record
# A day from either end of all calendars a zone may have no such time.
_FIRST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LARGE = 2**63 - 1
_REMEMBERED = 512  # events in sight are asked for again and again
_REMEMBERED_BYTES = 4 * 2**20  # of their users' records
_COLUMNS = 40  # bytes of an event in all columns
_OVERHEAD = 200  # bytes of what holds a value in a table

Judge = Callable[[Event], bool]
Value = TypeVar("Value")


class _Person(NamedTuple):
    """Whose event it is; ``user`` is the record as JSON."""

    id: int | None
    displayname: str | None
    session: str | None
    user: bytes


_NOBODY: tuple[Any, ...] = (None, None, None, b"{}")
_NO_NUMBERS = 0, 0, 0, 0


class _Form(NamedTuple):
    """What many events have in common."""

    type: str
    schema: str | None
    objecttype: str | None
    basetype: str | None
    instance: str | None  # behind the @ of the global object id
    session_self: bool
    pollable: bool | None
    zone: tzinfo | None


_NO_FORM: tuple[Any, ...] = ("", None, None, None, None, False, None, None)


class _Table(Generic[Value]):
    """Each value once, by a small number; asked for by its plain parts, since most are there already.

    A value goes when nothing uses it any more, and its number is given to another one.
    """

    def __init__(self, make: Callable[[tuple[Any, ...]], Value], nothing: tuple[Any, ...]) -> None:
        """``nothing`` are the parts of what stands at numbers that are free."""
        self.values: list[Value] = []
        self.size = 0  # bytes
        self._make, self._nothing = make, make(nothing)
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._parts: list[tuple[Any, ...]] = []
        self._uses: list[int] = []
        self._free: list[int] = []

    def copy(self) -> _Table[Value]:
        """One of its own with the same values."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict):
                setattr(other, name, value.copy())
        return other

    def number(self, parts: tuple[Any, ...]) -> int:
        """The number of a value, which is to be used then."""
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
        """Each of these is one use more."""
        for number, times in Counter(numbers).items():
            self._uses[number] += times

    def release(self, numbers: array[int]) -> None:
        """Each of these is one use less."""
        for number, times in Counter(numbers).items():
            self._uses[number] -= times
            if not self._uses[number]:
                self.size -= _weight(self._parts[number])
                del self._numbers[self._parts[number]]
                self.values[number], self._parts[number] = self._nothing, ()
                self._free.append(number)

    def freed(self, number: int, releases: Counter[int]) -> int:
        """The bytes that one release more frees, after those in ``releases``, where it is added."""
        releases[number] += 1
        return _weight(self._parts[number]) if releases[number] == self._uses[number] else 0


class Store:
    """Events by the order in which they came; the oldest can be dropped. ``size`` is told in bytes."""

    def __init__(self) -> None:
        self._dropped = 0
        self._ids, self._times, self._objects, self._versions = (array("q") for _ in range(4))
        self._forms, self._people = array("I"), array("I")
        self._form = _Table(_Form._make, _NO_FORM)
        self._person = _Table(_Person._make, _NOBODY)
        self._odd: dict[int, Event] = {}  # what has more than fits into columns, whole
        self._odd_sizes: dict[int, int] = {}
        self._odd_size = 0
        self._recent: dict[int, Event] = {}
        self._recent_size = 0
        self._users: dict[bytes, dict[str, object]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def size(self) -> int:
        """How much memory the events take, in bytes."""
        return len(self._ids) * _COLUMNS + self._odd_size + self._form.size + self._person.size

    def oldest_of(self, size: int) -> int:
        """How many of the oldest take so many bytes together; all where there are not so many."""
        freed, forms, people = 0, Counter[int](), Counter[int]()
        for place, (form, person) in enumerate(zip(self._forms, self._people, strict=True)):
            if freed >= size:
                return place
            freed += _COLUMNS + self._odd_sizes.get(self._dropped + place, 0)
            freed += self._form.freed(form, forms) + self._person.freed(person, people)
        return len(self)

    def copy(self) -> Store:
        """One of its own with the same events; what never changes is shared."""
        other = Store()
        for name, value in vars(self).items():
            if isinstance(value, array):
                setattr(other, name, value[:])
            elif isinstance(value, dict | _Table):
                setattr(other, name, value.copy())
            else:
                setattr(other, name, value)
        other._recent, other._recent_size, other._users = {}, 0, {}
        return other

    def append(self, events: Sequence[Event]) -> None:
        """Takes events in at the end."""
        # Tens of thousands in a second must leave time for painting: nothing is looked up twice.
        form_of, person_of = self._form.number, self._person.number
        place, columns = self._dropped + len(self._ids), [column.append for column in self._columns()]
        add_id, add_time, add_object, add_version, add_form, add_person = columns
        for number, event in enumerate(events, place):
            form, numbers, person = _form(event), _numbers(event), _person(event)
            if form is None or numbers is None or person is None or not _fits(event):
                self._odd[number] = event
                self._odd_sizes[number] = weight = _weight(event)
                self._odd_size += weight
                form, numbers, person = _bare(event), _NO_NUMBERS, _NOBODY
            add_id(numbers[0])
            add_time(numbers[1])
            add_object(numbers[2])
            add_version(numbers[3])
            add_form(form_of(form))
            add_person(person_of(person))
        self._form.use(self._forms[place - self._dropped :])
        self._person.use(self._people[place - self._dropped :])

    def drop(self, number: int) -> None:
        """Lets the oldest go."""
        self._form.release(self._forms[:number])
        self._person.release(self._people[:number])
        for column in self._columns():
            del column[:number]
        self._dropped += number
        for place in [place for place in self._odd if place < self._dropped]:
            del self._odd[place]
            self._odd_size -= self._odd_sizes.pop(place)

    def __getitem__(self, place: int) -> Event:
        number = self._dropped + place
        event = self._odd.get(number) or self._recent.get(number)
        if event is None:
            if len(self._recent) >= _REMEMBERED or self._recent_size > _REMEMBERED_BYTES:
                self._recent.clear()
                self._users.clear()
                self._recent_size = 0
            event = self._recent[number] = self._put_together(place)
        return event

    def types(self, number: int) -> list[str]:
        """The types of the oldest events."""
        values = self._form.values
        return [values[form].type for form in self._forms[:number]]

    def verdicts(self, first: int, of_kind: Judge, of_person: Judge) -> bytearray:
        """Whether both say yes to the events from a place on; the one goes by type and base type, the other
        by the user.

        Each combination is judged once: a window must not wait for a million events.
        """
        kinds = [of_kind(Event(id=0, type=one.type, basetype=one.basetype)) for one in self._form.values]
        people = [
            of_person(Event(id=0, user_id=one.id, user_displayname=one.displayname))
            for one in self._person.values
        ]
        found = bytearray(map(kinds.__getitem__, self._forms[first:]))
        if not all(people):
            found = bytearray(map(and_, found, map(people.__getitem__, self._people[first:])))
        for number, event in self._odd.items():
            place = number - self._dropped - first
            if place >= 0:
                found[place] = of_kind(event) and of_person(event)
        return found

    def _columns(self) -> tuple[array[int], ...]:
        return self._ids, self._times, self._objects, self._versions, self._forms, self._people

    def _put_together(self, place: int) -> Event:
        form, person = self._form.values[self._forms[place]], self._person.values[self._people[place]]
        moment, object_id, version = self._times[place], self._objects[place], self._versions[place]
        return Event(
            id=self._ids[place],
            type=form.type,
            timestamp=None if moment == _NONE else (_EPOCH + moment * _MICROSECOND).astimezone(form.zone),
            schema=form.schema,
            objecttype=form.objecttype,
            basetype=form.basetype,
            global_object_id=None if form.instance is None else f"{object_id}@{form.instance}",
            object_id=None if object_id == _NONE else object_id,
            object_version=None if version == _NONE else version,
            session_self=form.session_self,
            pollable=form.pollable,
            user_id=person.id,
            user_displayname=person.displayname,
            user=self._user(person.user),
            session_token=person.session,
        )

    def _user(self, record: bytes) -> dict[str, object]:
        user = self._users.get(record)
        if user is None:
            self._recent_size += len(record)
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


def _form(event: Event) -> tuple[Any, ...] | None:
    """What it has in common with others, None where that does not tell all."""
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
    """Its own numbers, None where one is too large."""
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


def _bare(event: Event) -> tuple[Any, ...]:
    return event.type, None, None, event.basetype, None, False, None, None


def _person(event: Event) -> tuple[Any, ...] | None:
    try:
        user = msgspec.json.encode(event.user) if event.user else b"{}"
    except (msgspec.MsgspecError, OverflowError):
        return None  # a number that JSON has and this writer has not
    return event.user_id, event.user_displayname, event.session_token, user


def _weight(value: object) -> int:
    """How many bytes of memory an event, or the parts of a value, take with all that they hold."""
    size, waiting = _OVERHEAD, [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.Raw):
            size += memoryview(one).nbytes  # msgspec tells no size of it
            continue
        size += sys.getsizeof(one)
        if isinstance(one, Mapping):
            waiting += (*one.keys(), *one.values())
        elif isinstance(one, tuple | list):
            waiting += one
        elif isinstance(one, Event):
            waiting += msgspec.structs.astuple(one)
    return size
