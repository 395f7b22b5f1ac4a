"""Tests of finding the events of an object: in a list sorted by object, or by reading all of it."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdb_desktop.client import ApiError, Event, EventFilter, EventPage, Record, Sort, Unreadable
from cdb_desktop.events.object_history import (
    BY_OBJECT,
    HistoryProgress,
    ObjectHistory,
    ObjectKey,
    object_types,
    read_history,
)
from cdb_desktop.vocabulary.event_types import known_types

KEY = ObjectKey(7, "work")
TYPES = object_types(known_types())
Act = Callable[["Service"], None]


class Service:
    """A list of events that can be sorted by object; `acts` change it before a call, by its number."""

    def __init__(self, events: Sequence[Event], *, nulls_first: bool = True, counts: bool = True) -> None:
        self.events = list(events)
        self.broken: set[int] = set()  # ids of events whose records cannot be read
        self.sorts = True
        self.refuses = False
        self.nulls_first = nulls_first
        self.counts = counts
        self.acts: dict[int, Act] = {}
        self.calls = 0
        self.filters: list[EventFilter] = []
        self.filters_by_object = False

    async def page(self, chosen: EventFilter, limit: int) -> EventPage:
        self.calls += 1
        self.filters.append(chosen)
        records = self._chosen(chosen)
        return EventPage(tuple(records[:limit]), len(records))

    async def count(self, chosen: EventFilter) -> int | None:
        return len(self._chosen(chosen)) if self.counts else None

    async def records(
        self, chosen: EventFilter, sort: tuple[Sort, ...], offset: int, limit: int
    ) -> Sequence[Record]:
        if act := self.acts.get(self.calls):
            act(self)
        self.calls += 1
        self.filters.append(chosen)
        found = sorted(self._chosen(chosen), key=lambda event: event.id)
        if sort == BY_OBJECT:
            if self.refuses:
                raise ApiError("api", "error.api.invalid_value", description="sort", status=400)
            if self.sorts:
                found.sort(key=self._rank)
        page = found[offset : offset + limit]
        return [
            Unreadable("no_id", b"%d" % one.id, place) if one.id in self.broken else one
            for place, one in enumerate(page)
        ]

    def _chosen(self, chosen: EventFilter) -> list[Event]:
        return [
            event
            for event in self.events
            if (not chosen.type or event.type in chosen.type)
            and (not chosen.base_type or event.basetype in chosen.base_type)
            and (not chosen.objecttype or event.objecttype in chosen.objecttype)
            and (not chosen.object_id or event.object_id in chosen.object_id)
        ]

    def _rank(self, event: Event) -> float:
        if event.object_id is not None:
            return event.object_id
        return float("-inf") if self.nulls_first else float("inf")


def event(number: int, object_id: int | None, kind: str = "work", of: str = "OBJECT_UPDATE") -> Event:
    if object_id is None:
        return Event(id=number, type="API_CALL")
    if kind == "user":
        return Event(id=number, type="USER_LOGIN", basetype=kind, object_id=object_id)
    return Event(id=number, type=of, objecttype=kind, object_id=object_id, object_version=1)


def ignore(_history: ObjectHistory, _progress: HistoryProgress) -> None:
    """No progress is shown."""


async def history(service: Service, key: ObjectKey = KEY) -> ObjectHistory:
    return await read_history(service, key, TYPES, ignore)


def matching(service: Service, key: ObjectKey = KEY) -> list[int]:
    """What a filter by object would return."""
    readable = (event for event in service.events if event.id not in service.broken)
    return sorted(event.id for event in readable if key.matches(event))


OBJECTS = st.tuples(st.none() | st.integers(1, 12), st.sampled_from(["work", "image", "user"]))


@given(
    st.lists(OBJECTS, max_size=60),
    st.tuples(st.integers(0, 13), st.sampled_from(["work", "image", "user"])),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["sorts", "ignores", "refuses", "filters"]),
)
@example([*[(None, "work")] * 4, (1, "image"), (None, "work")], (1, "image"), False, False, "ignores")
def test_the_same_events_as_a_filter(
    objects: list[tuple[int | None, str]],
    wanted: tuple[int, str],
    nulls_first: bool,
    counts: bool,
    sorting: str,
) -> None:
    """All events of the object are found, by ascending id, whatever the service does with the order."""
    service = Service(
        [event(number, *what) for number, what in enumerate(objects, 1)],
        nulls_first=nulls_first,
        counts=counts,
    )
    service.sorts, service.refuses = sorting == "sorts", sorting == "refuses"
    service.filters_by_object = sorting == "filters"
    number, kind = wanted
    key = ObjectKey(number, basetype=kind) if kind == "user" else ObjectKey(number, kind)
    found = asyncio.run(history(service, key))
    assert [one.id for one in found.events] == matching(service, key)
    assert found.is_complete


async def test_few_calls_in_a_long_list() -> None:
    """The place is found by bisection; nothing else is read."""
    service = Service([event(number, number % 5_000) for number in range(1, 50_001)])
    found = await history(service)
    assert [one.id for one in found.events] == list(range(7, 50_001, 5_000))
    assert service.calls < 22


@pytest.mark.parametrize("count", [0, 1, 198, 199, 200, 201, 1_198, 1_200, 3_000])
@pytest.mark.parametrize("after", [0, 1, 2_000])
async def test_objects_with_many_events(count: int, after: int) -> None:
    """This holds for any number of pages, also at both ends of the list."""
    objects = [*range(1, 7), *[7] * count, *[8] * after]
    service = Service([event(number, what) for number, what in enumerate(objects, 1)])
    found = await history(service)
    assert [one.id for one in found.events] == list(range(7, 7 + count))
    assert found.is_complete


def delete(*ids: int) -> Act:
    def act(service: Service) -> None:
        service.events = [one for one in service.events if one.id not in ids]

    return act


def insert(object_id: int, number: int) -> Act:
    def act(service: Service) -> None:
        first = max(one.id for one in service.events) + 1
        service.events += [event(first + step, object_id) for step in range(number)]

    return act


@pytest.mark.parametrize("call", range(0, 18, 2))
@pytest.mark.parametrize("act", [delete(*range(1, 400)), delete(950), insert(1, 400), insert(3, 3)])
async def test_changes_meanwhile_hide_nothing(call: int, act: Act) -> None:
    """Rows before those of the object are deleted and added at any time; its own are all found."""
    objects = [number // 300 for number in range(300, 2_100)] + [7] * 1_500 + [8] * 900
    service = Service([event(number, what) for number, what in enumerate(objects, 1)])
    service.acts = {call: act}
    found = await history(service)
    assert set(matching(service)) <= {one.id for one in found.events}
    assert found.is_complete


async def test_rows_that_always_move_are_read_by_id() -> None:
    """If the rows never hold still, all events are read in the order of their ids."""
    service = Service([event(number, number % 9) for number in range(1, 6_001)])

    def move(service: Service) -> None:
        service.events.pop(0)

    service.acts = dict.fromkeys(range(120), move)
    progress: list[HistoryProgress] = []
    found = await read_history(service, KEY, TYPES, lambda _, one: progress.append(one))
    assert set(matching(service)) <= {one.id for one in found.events}
    assert found.is_complete


async def test_unreadable_records_are_counted() -> None:
    """Those that lie among the rows of the object may belong to it; others do not matter."""
    objects = [1] * 50 + [7] * 20 + [8] * 50
    service = Service([event(number, what) for number, what in enumerate(objects, 1)])
    service.broken = {10, 49, 55, 56, 100}
    found = await history(service)
    assert [one.id for one in found.events] == matching(service)
    assert found.unreadable == 2
    assert found.is_complete


async def test_a_scan_shows_its_progress() -> None:
    """A service that does not sort is read by id and type; nothing is complete before the end."""
    known = [event(number, number % 10) for number in range(1, 2_501)]
    service = Service([*known, *(event(number, None) for number in range(2_501, 4_000))])
    service.refuses = True
    seen: list[tuple[bool, HistoryProgress]] = []
    found = await read_history(
        service, KEY, TYPES, lambda history, one: seen.append((history.is_complete, one))
    )
    assert [one.id for one in found.events] == matching(service)
    assert found.types == TYPES
    assert not any(complete for complete, _ in seen)
    scans = [one for _, one in seen if one.is_scan]
    assert [one.searched for one in scans] == sorted(one.searched for one in scans)
    assert (scans[-1].total, scans[-1].searched, scans[-1].fraction) == (2_500, 2_500, 1.0)
    assert all(chosen.type == TYPES for chosen in service.filters[-3:])


async def test_a_scan_begins_with_the_object() -> None:
    """Where it is known when the object was inserted, older events are not searched."""
    service = Service([event(1, 7, of="OBJECT_INSERT")])
    service.refuses = True
    since = datetime(2026, 11, 20, tzinfo=UTC)
    await read_history(service, KEY, TYPES, ignore, since)
    assert service.filters[-1].date_from == since


@pytest.mark.parametrize(("count", "calls"), [(3, 1), (1000, 1), (1001, 4)])
async def test_a_service_with_a_filter_is_asked_once(count: int, calls: int) -> None:
    """More events than a page are read like those of a scan, of this object only."""
    service = Service([event(number, 7) for number in range(1, count + 1)] + [event(9999, 8)])
    service.filters_by_object = True
    found = await history(service)
    assert (len(found.events), found.is_complete, found.types) == (count, True, ())
    assert service.calls == calls
    assert {one.object_id for one in service.filters} == {(7,)}


async def test_objects_of_the_system_are_filtered_by_base_type() -> None:
    """The list has a filter for it (§4.3), which narrows both ways of reading."""
    service = Service([event(number, number % 3, "user") for number in range(1, 90)])
    await history(service, ObjectKey(1, basetype="user"))
    service.refuses = True
    await history(service, ObjectKey(1, basetype="user"))
    assert {chosen.base_type for chosen in service.filters} == {("user",)}


async def test_cancelling_returns_nothing_as_complete() -> None:
    """A cancelled scan raises; what it has reported is marked as not complete."""
    service = Service([event(number, 7) for number in range(1, 5_001)])
    service.refuses = True
    seen: list[ObjectHistory] = []
    first = asyncio.Event()

    def take(history: ObjectHistory, _progress: HistoryProgress) -> None:
        seen.append(history)
        if history.events:
            first.set()

    async def slowly(service: Service) -> None:
        await read_history(service, KEY, TYPES, take)

    def cancel(_service: Service) -> None:
        task.cancel()

    service.acts = {3: cancel}
    task = asyncio.create_task(slowly(service))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert first.is_set()
    assert 0 < len(seen[-1].events) < 5_000
    assert not any(one.is_complete for one in seen)


def test_the_key_of_an_object() -> None:
    """An object type counts before a base type; events without an object have no key."""
    assert ObjectKey.of(event(1, 3)) == ObjectKey(3, "work")
    assert ObjectKey.of(event(1, 3, "user")) == ObjectKey(3, basetype="user")
    assert ObjectKey.of(event(1, None)) is None
    assert ObjectKey.of(None) is None
    assert not ObjectKey(3, "work").matches(event(1, 3, "image"))


def test_types_without_objects_are_not_searched() -> None:
    """Unknown types may concern objects."""
    found = object_types([*known_types(), "PLUGIN_THING"])
    assert {"OBJECT_UPDATE", "DETAIL_VIEW", "PLUGIN_THING", "USER_LOGIN"} <= set(found)
    assert not {"SERVER_START", "API_CALL"} & set(found)
