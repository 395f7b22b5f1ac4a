"""Keeps very many events in columns, some fifty bytes each, and gives them back as they came. No I/O."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Generic, NamedTuple, TypeVar

import msgspec

from cdb_desktop.client import Event

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NONE = -(2**63)  # no number of a record
_LARGE = 2**63 - 1
_REMEMBERED = 512  # events in sight are asked for again and again

Key = TypeVar("Key", bound=Hashable)


class _Person(NamedTuple):
    """Whose event it is; ``user`` is the record as JSON."""

    id: int | None
    displayname: str | None
    session: str | None
    user: bytes


_NOBODY = _Person(None, None, None, b"{}")


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


class _Table(Generic[Key]):
    """Each value once, by a small number."""

    def __init__(self) -> None:
        self.values: list[Key] = []
        self._numbers: dict[Key, int] = {}

    def number(self, value: Key) -> int:
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self.values)
            self.values.append(value)
        return number


class Store:
    """Events by the order in which they came; the oldest can be dropped."""

    def __init__(self) -> None:
        self._dropped = 0
        self._ids, self._times, self._objects, self._versions = (array("q") for _ in range(4))
        self._forms, self._people = array("I"), array("I")
        self._form, self._person = _Table[_Form](), _Table[_Person]()
        self._odd: dict[int, Event] = {}  # what has more than fits into columns, whole
        self._recent: dict[int, Event] = {}
        self._users: dict[bytes, dict[str, object]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def copy(self) -> Store:
        """One of its own with the same events; what never changes is shared."""
        other = Store()
        for name, value in vars(self).items():
            setattr(other, name, value[:] if isinstance(value, array) else value)
        other._odd, other._recent = dict(self._odd), {}
        return other

    def append(self, events: Sequence[Event]) -> None:
        """Takes events in at the end."""
        for event in events:
            form, numbers = _taken_apart(event)
            number = self._dropped + len(self._ids)
            person = _person(event)
            if form is None or person is None or not self._fits(event):
                self._odd[number] = event
            self._ids.append(numbers[0])
            self._times.append(numbers[1])
            self._objects.append(numbers[2])
            self._versions.append(numbers[3])
            self._forms.append(self._form.number(form or _bare(event)))
            self._people.append(self._person.number(person or _NOBODY))

    def drop(self, number: int) -> None:
        """Lets the oldest go."""
        for column in self._columns():
            del column[:number]
        self._dropped += number
        if self._odd:
            self._odd = {place: event for place, event in self._odd.items() if place >= self._dropped}

    def __getitem__(self, place: int) -> Event:
        number = self._dropped + place
        event = self._odd.get(number) or self._recent.get(number)
        if event is None:
            if len(self._recent) >= _REMEMBERED:
                self._recent.clear()
            event = self._recent[number] = self._put_together(place)
        return event

    def types(self, number: int) -> list[str]:
        """The types of the oldest events."""
        values = self._form.values
        return [values[form].type for form in self._forms[:number]]

    def verdicts(self, first: int, shows: Callable[[Event], bool]) -> Iterator[bool]:
        """What ``shows`` says of the events from a place on; it goes by type, base type and user only."""
        known: dict[tuple[int, int], bool] = {}
        kinds = zip(self._forms[first:], self._people[first:], strict=True)
        for place, kind in enumerate(kinds, first):
            if self._odd and self._dropped + place in self._odd:
                yield shows(self[place])
                continue
            verdict = known.get(kind)
            if verdict is None:
                verdict = known[kind] = shows(self[place])
            yield verdict

    def _columns(self) -> tuple[array[int], ...]:
        return self._ids, self._times, self._objects, self._versions, self._forms, self._people

    def _fits(self, event: Event) -> bool:
        return not (
            event.info is not None
            or event.unknown
            or event.ipv4_address is not None
            or event.session_created is not None
            or event.session_expired is not None
        )

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
            user = self._users[record] = msgspec.json.decode(record)
        return user


def _taken_apart(event: Event) -> tuple[_Form | None, tuple[int, int, int, int]]:
    """What it has in common with others, None where that does not tell all, and its own numbers."""
    whole = event.global_object_id
    instance = None if whole is None else whole.partition("@")[2]
    own = event.id, _moment(event.timestamp), event.object_id, event.object_version
    numbers = tuple(_NONE if one is None else one for one in own)
    is_plain = whole is None or (event.object_id is not None and whole == f"{event.object_id}@{instance}")
    if not is_plain or not all(_NONE <= one <= _LARGE for one in numbers):
        return None, (0, 0, 0, 0)
    zone = event.timestamp.tzinfo if event.timestamp else None
    form = _Form(
        event.type,
        event.schema,
        event.objecttype,
        event.basetype,
        instance,
        event.session_self,
        event.pollable,
        zone,
    )
    return form, (numbers[0], numbers[1], numbers[2], numbers[3])


def _bare(event: Event) -> _Form:
    return _Form(event.type, None, None, event.basetype, None, False, None, None)


def _person(event: Event) -> _Person | None:
    try:
        user = msgspec.json.encode(event.user) if event.user else b"{}"
    except (msgspec.MsgspecError, OverflowError):
        return None  # a number that JSON has and this writer has not
    return _Person(event.user_id, event.user_displayname, event.session_token, user)


def _moment(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND
