"""Tests of the store of events in columns."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.live.feed import EventStore

ZONES = st.sampled_from([UTC, timezone(timedelta(hours=1)), timezone(timedelta(hours=-5, minutes=-30))])
TEXTS = st.one_of(st.none(), st.text(max_size=3))
NUMBERS = st.one_of(st.none(), st.integers(-3, 9), st.integers(-(2**70), 2**70))
USERS: st.SearchStrategy[dict[str, object]] = st.one_of(
    st.just({}),
    st.just({"_id": 2**70}),
    st.fixed_dictionaries({"_id": st.integers(0, 3), "_generated_displayname": TEXTS}),
)
EVENTS = st.builds(
    Event,
    id=st.one_of(st.integers(0, 99), st.integers(-(2**70), 2**70)),
    type=st.sampled_from(["", "SEARCH", "MOON_LANDING"]),
    timestamp=st.one_of(st.none(), st.datetimes(timezones=ZONES)),
    schema=TEXTS,
    objecttype=TEXTS,
    basetype=TEXTS,
    global_object_id=st.one_of(st.none(), st.sampled_from(["7@museum", "@", "7", "None@x", "a@b@c"])),
    object_id=st.one_of(NUMBERS, st.just(7)),
    object_version=NUMBERS,
    session_self=st.booleans(),
    pollable=st.one_of(st.none(), st.booleans()),
    info=st.one_of(st.none(), st.just(msgspec.Raw(b'{"a": 1}'))),
    ipv4_address=TEXTS,
    user_id=NUMBERS,
    user_displayname=TEXTS,
    user=USERS,
    session_token=TEXTS,
    session_created=st.one_of(st.none(), st.datetimes(timezones=ZONES)),
    unknown=st.one_of(st.just({}), st.just({"crew": ["a"]})),
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)  # slow on a busy machine
@given(st.lists(EVENTS, max_size=20), st.integers(0, 20), st.lists(EVENTS, max_size=5))
def test_stored_events_are_returned_unchanged(first: list[Event], removed: int, later: list[Event]) -> None:
    """This holds for any event; removing the oldest does not change a copy."""
    store = EventStore()
    store.append(first)
    copy = store.copy()
    store.remove_oldest(min(removed, len(first)))
    store.append(later)
    left = [*first[removed:], *later]
    for _ in ("made", "remembered"):
        assert [store[place] for place in range(len(store))] == left
    assert store.types(len(left)) == [event.type for event in left]
    assert [copy[place] for place in range(len(copy))] == first
    zones = [event.timestamp.utcoffset() if event.timestamp else None for event in left]
    assert [
        one.timestamp.utcoffset() if one.timestamp else None
        for one in map(store.__getitem__, range(len(left)))
    ] == zones


@settings(max_examples=40)
@given(st.lists(EVENTS, max_size=20), st.integers(0, 20))
def test_matches_are_those_of_single_events(events: list[Event], first: int) -> None:
    """Though each combination of values is tested once."""
    store = EventStore()
    store.append(events)

    def of_kind(event: Event) -> bool:
        return event.type == "SEARCH" and event.basetype is None

    def of_person(event: Event) -> bool:
        return event.user_displayname != "" and event.user_id != 3

    expected = [of_kind(event) and of_person(event) for event in events[first:]]
    assert list(store.matches(first, of_kind, of_person)) == expected


def test_values_of_removed_events_are_removed() -> None:
    """Those of the events in the store stay."""
    store = EventStore()
    for number in range(0, 10_000, 500):
        store.append([Event(id=one, session_token=f"session {one}") for one in range(number, number + 500)])
        copy = store.copy()
        store.remove_oldest(max(0, len(store) - 1_000))
    assert len(store._user_fields.values) <= 3_000 + 500
    assert [store[place].session_token for place in (0, 999)] == ["session 9000", "session 9999"]
    assert copy[len(copy) - 1].session_token == "session 9999"


def test_events_take_some_fifty_bytes_each() -> None:
    """A list of records takes more than 500."""
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    tracemalloc.start()
    try:
        store = EventStore()
        for block in range(20):
            store.append(
                [
                    Event(
                        id=number,
                        type="OBJECT_UPDATE",
                        timestamp=begin + timedelta(seconds=number),
                        objecttype="work",
                        object_id=number,
                        global_object_id=f"{number}@museum",
                        object_version=number % 9,
                        user_id=number % 50,
                        user={"_id": number % 50, "_generated_displayname": "x"},
                        session_token=f"session {number % 200}",
                    )
                    for number in range(block * 1000, block * 1000 + 1000)
                ]
            )
        assert tracemalloc.get_traced_memory()[0] < 70 * 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00+14:00",
        "0001-01-01T00:00:00-14:00",
        "9999-12-31T23:59:59+14:00",
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_a_time_at_the_end_of_the_calendar_is_stored_unchanged(text: str) -> None:
    """Such a time may not exist in UTC."""
    store, event = EventStore(), Event(id=1, timestamp=datetime.fromisoformat(text))
    store.append([event])
    assert store[0] == event
