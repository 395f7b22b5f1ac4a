"""Tests of the bounded feed and of its store of events in columns."""

import tracemalloc
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.live import feed as feed_module
from cdb_desktop.live.feed import EventStore, Feed, ReceivedIds
from cdb_desktop.live.feed_filter import with_only_type, without_type
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.pattern import Condition, PatternKind

_KINDS = ("A", "B", "C")


def receive(feed: Feed, *ids: int) -> None:
    """Adds events as the model does."""
    events = feed.take_unknown(Event(id=one, type=_KINDS[one % 3]) for one in ids)
    feed.remove_oldest(feed.surplus(len(events)))
    feed.append(events, feed.shown(events))


def test_conditions_are_tested_step_by_step() -> None:
    """The newest first; new events are shown at once, and removed ones are not tested any more."""
    feed = Feed(capacity=100, step=10)
    receive(feed, *range(1, 100))
    feed.set_filter(Query(conditions=(Condition("_id=*3", PatternKind.KEY),)))
    assert (ids(feed), feed.untested, feed.is_slow) == ([], 99, True)
    receive(feed, 103)
    receive(feed, 113)
    assert ids(feed) == [103, 113]
    assert feed.untested == 89
    feed.prepend(feed.earlier_rows(10.0))
    assert ids(feed) == [13, 23, 33, 43, 53, 63, 73, 83, 93, 103, 113]
    assert feed.untested == 0
    feed.set_filter(Query())
    assert len(feed) == feed.kept


def test_new_events_are_tested_for_a_time() -> None:
    """At least one is, and those that no condition has to be tested for are known at once."""
    events = [Event(id=one, type=_KINDS[one % 3]) for one in range(1, 50)]
    feed = Feed()
    assert feed.shown(events, 0.0) == [True] * 49
    feed.set_filter(Query(conditions=(Condition("_id=*3", PatternKind.KEY),)))
    whole, rest = feed.shown(events), events
    assert [one.id for one, is_shown in zip(events, whole, strict=True) if is_shown] == [3, 13, 23, 33, 43]
    while rest:
        shown = feed.shown(rest, 0.0)
        assert len(shown) == 1
        feed.append(rest[:1], shown)
        rest = rest[1:]
    assert ids(feed) == [3, 13, 23, 33, 43]


def ids(feed: Feed) -> list[int]:
    """The ids in the rows."""
    return [feed[row].id for row in range(len(feed))]


def test_the_oldest_are_removed_many_at_a_time() -> None:
    """The numbers of the others do not change."""
    feed = Feed(capacity=10, step=4)
    receive(feed, *range(1, 11))
    assert feed.surplus(1) == 4
    receive(feed, 11)
    assert (ids(feed), feed.removed, feed.surplus(1)) == ([5, 6, 7, 8, 9, 10, 11], 4, 0)
    assert (feed.number(0), feed.row_from(5)) == (4, 1)


def test_cleared_events_can_be_restored() -> None:
    """They are above what came since."""
    feed = Feed()
    receive(feed, 1, 2, 3)
    feed.clear()
    receive(feed, 4)
    assert (ids(feed), feed.kept, feed.cleared) == ([4], 1, 3)
    feed.set_filter(without_type(Query(), "B"))
    assert ids(feed) == []
    feed.set_filter(Query())
    feed.restore_cleared()
    assert (ids(feed), feed.cleared) == ([1, 2, 3, 4], 0)


def test_ids_of_another_log_are_new_again() -> None:
    """The same id means another event there."""
    feed = Feed()
    receive(feed, 1, 2)
    feed.forget_ids()
    receive(feed, 1)
    assert ids(feed) == [1, 2, 1]


def test_a_copy_is_independent() -> None:
    """It begins with the same events and known ids, and its own filter."""
    feed = Feed(capacity=10, step=2)
    receive(feed, *range(1, 9))
    feed.set_filter(with_only_type(Query(), "A"))
    copy = feed.copy(Query())
    receive(copy, 8, 9, 10, 11)
    assert ids(feed) == [3, 6]
    assert (ids(copy), copy.removed) == ([*range(3, 12)], 2)
    assert copy.types == {"A": 3, "B": 3, "C": 3}
    receive(feed, 9)
    assert ids(feed) == [3, 6, 9]


_ARRIVALS = st.lists(st.integers(1, 60), max_size=12)


@given(st.lists(st.tuples(_ARRIVALS, st.sampled_from(["", *_KINDS])), max_size=8))
def test_rows_are_the_kept_events_that_the_filter_shows(steps: list[tuple[list[int], str]]) -> None:
    """Filtered before or after they came, bounded or not."""
    feed, kept, known = Feed(capacity=20, step=3), list[int](), set[int]()
    for arriving, hidden in steps:
        feed.set_filter(without_type(Query(), hidden) if hidden else Query())
        receive(feed, *arriving)
        kept += [one for place, one in enumerate(arriving) if one not in known | set(arriving[:place])]
        known.update(arriving)
        kept = kept[len(kept) - feed.kept :]
        assert feed.kept <= 20
        assert ids(feed) == [one for one in kept if not hidden or _KINDS[one % 3] != hidden]
        assert sum(feed.types.values()) == feed.kept


def _large(number: int, size: int, part: str) -> Event:
    """An event one part of which takes so many bytes."""
    text = "x" * size
    parts: dict[str, dict[str, object]] = {
        "info": {"info": msgspec.Raw(msgspec.json.encode(text))},
        "unknown": {"unknown": {"crew": [text]}},
        "user": {"user": {"_id": number, "name": text}, "user_id": number},
        "name": {"user_displayname": f"{number} {text}"},
        "session": {"session_token": f"{number} {text}"},
        "type": {"type": f"{number} {text}"},
        "object": {"objecttype": f"{number} {text}"},
    }
    return msgspec.structs.replace(Event(id=number, type="SEARCH"), **parts[part])


@pytest.mark.parametrize("part", ["info", "unknown", "user", "name", "session", "type", "object"])
def test_large_events_are_removed_earlier(part: str) -> None:
    """Whichever part is large, the oldest are removed first and every event is counted."""
    feed, added, removed = Feed(capacity=1_000, largest_size=100_000), list[int](), list[int]()
    for number in range(1, 201):
        for one in feed.take_unknown([_large(number, 3_000, part)]):
            feed.append([one], feed.shown([one]))
            added.append(one.id)
        leaving = feed.surplus(0)
        removed += [event.id for event in feed.oldest(leaving)]
        feed.remove_oldest(leaving)
        assert feed.size <= 100_000
        assert [*removed, *ids(feed)] == added
        assert (feed.removed, feed.kept, sum(feed.types.values())) == (
            len(removed),
            len(added) - len(removed),
            feed.kept,
        )
    assert 15 < feed.kept < 40
    assert feed.is_size_limited
    receive(feed, *range(1_000, 1_010))
    assert ids(feed)[-10:] == [*range(1_000, 1_010)]


def test_shared_values_count_once() -> None:
    """One session of one user: as many events as the feed may keep."""
    feed = Feed(capacity=1_000, largest_size=200_000)
    user = {"_id": 1, "name": "x" * 2_000}
    for number in range(1, 1_001):
        event = Event(id=number, type="SEARCH", user=user, session_token="one")
        feed.append([event], feed.shown([event]))
    assert (feed.surplus(0), feed.kept, feed.is_size_limited) == (0, 1_000, False)
    copy = feed.copy(Query())
    feed.remove_oldest(1_000)
    assert feed.size == 0
    assert copy[0].user == user
    assert copy.size > 40_000


def test_ids_far_apart_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids that came first are forgotten first."""
    monkeypatch.setattr(feed_module, "_MOST_BLOCKS", 10)
    known = ReceivedIds()
    assert all(known.add(number << 20) for number in range(1_000))
    assert len(known._blocks) == 10
    assert not known.add(999 << 20)
    assert known.add(0)


_NUMBERS = st.one_of(st.integers(0, 9000), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(_NUMBERS))
def test_known_ids_behave_like_a_set(numbers: list[int]) -> None:
    ids, known = ReceivedIds(), set[int]()
    for number in numbers:
        assert ids.add(number) is (number not in known)
        known.add(number)


def test_many_ids_take_little_memory() -> None:
    """A bit each, while a set takes 60 bytes."""
    tracemalloc.start()
    try:
        ids = ReceivedIds()
        for number in range(0, 200_000, 5):
            ids.add(number)
        assert tracemalloc.get_traced_memory()[0] < 80_000
    finally:
        tracemalloc.stop()


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
