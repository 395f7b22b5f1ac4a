"""Tests of searching all listed events for those that match conditions."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event, EventFilter, Record, Sort, Unreadable
from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.events.matches import MatchedResult, filter_for_objects, search_matches, sorted_events
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, PatternKind
from tests.desktop.patience import until

START = datetime(2026, 11, 1, tzinfo=UTC)


def event(number: int, text: str = "denied") -> Event:
    """An event with a text in its info."""
    return Event(
        id=number,
        type=("SEARCH", "EXPORT_FAILED", "OBJECT_INSERT")[number % 3],
        timestamp=START + timedelta(seconds=number),
        object_id=None if number % 4 == 0 else number % 7,
        info=msgspec.Raw(msgspec.json.encode({"reason": text})),
    )


def result(*order: Sort, capacity: int = 64) -> MatchedResult:
    """A result without rows, for events that are denied."""
    return MatchedResult(ResolvedQuery(sort=order, conditions=(Condition("denied"),)), 10**6, capacity)


async def pages(records: Sequence[Record]) -> AsyncIterator[Sequence[Record]]:
    """The records as the service lists them."""
    for first in range(0, len(records), PAGE_SIZE):
        yield records[first : first + PAGE_SIZE]


async def test_matches_are_rows() -> None:
    """Rows come while the search goes on, in its order, and are complete at its end."""
    found, reported = result(), list[tuple[int, Sequence[int]]]()
    log = [event(number, "denied" if number % 2 else "allowed") for number in range(5000, 0, -1)]
    await search_matches(pages(log), found, lambda changed: reported.append((found.rows, list(changed))))
    expected = [one for one in log if one.id % 2]
    assert [found.event(row) for row in range(found.rows)] == expected
    assert reported == [(500, [0]), (1000, [0]), (1500, [1]), (2000, [1]), (2500, [2]), (2500, [])]
    assert (found.total, found.is_complete) == (2500, True)
    assert (found.progress.searched, found.progress.unreadable) == (5000, 0)
    assert [found.row_of(number) for number in (4999, 1, 2)] == [0, 2499, None]


async def test_other_orders() -> None:
    """In an order other than that of the ids all rows come at the end."""
    found, counts = result(Sort("type"), Sort("_id", descending=True)), list[int]()
    log = [event(number) for number in range(2500, 0, -1)]
    await search_matches(pages(log), found, lambda _changed: counts.append(found.rows))
    assert counts == [0, 0, 0, 2500]
    rows = [found.event(row) for row in range(found.rows)]
    assert rows == sorted(log, key=lambda one: (one.type, -one.id))


@pytest.mark.parametrize("field", SORT_FIELDS)
def test_every_field_is_sorted(field: str) -> None:
    """Each field by which the service sorts has an order here; events without a value are first."""
    events = [event(number) for number in (3, 9, 4, 1, 8)]
    ascending = sorted_events(events, [Sort(field), Sort("_id")])
    assert (
        sorted_events(ascending, [Sort(field, descending=True), Sort("_id", descending=True)])
        == ascending[::-1]
    )
    if field == "object_id":
        assert [one.object_id for one in ascending] == [None, None, 1, 2, 3]


async def test_unreadable_records() -> None:
    """Records that cannot be read are counted; whether they match is unknown."""
    found = result()
    records: list[Record] = [event(3), Unreadable("no_id", b"{}"), event(2)]
    await search_matches(pages(records), found, lambda _changed: None)
    assert (found.rows, found.progress.searched, found.progress.unreadable) == (2, 3, 1)


async def test_a_failed_search_has_ended() -> None:
    """What was found stays, and the result says that it is not complete."""

    async def failing() -> AsyncIterator[Sequence[Record]]:
        yield [event(2)]
        message = "gone"
        raise OSError(message)

    found = result()
    with pytest.raises(OSError, match="gone"):
        await search_matches(failing(), found, lambda _changed: None)
    assert (found.rows, found.total, found.is_complete) == (1, 1, False)


async def test_a_stopped_search_has_ended() -> None:
    """Cancelling keeps the rows, also those that were to be sorted."""

    async def endless() -> AsyncIterator[Sequence[Record]]:
        yield [event(2), event(1)]
        await asyncio.Event().wait()

    found = result(Sort("_id", descending=True), Sort("type"))
    task = asyncio.ensure_future(search_matches(endless(), found, lambda _changed: None))
    await until(lambda: found.found == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (found.rows, found.is_complete) == (2, False)


async def test_evicted_pages_are_restored() -> None:
    """Pages in memory are limited; others are missing until they are restored by their ids."""
    found = result(capacity=3)
    log = [event(number) for number in range(6000, 0, -1)]
    await search_matches(pages(log), found, lambda _changed: None)
    assert (found.rows, found.event(0), found.missing_pages(0, 1500)) == (6000, None, (0, 1))
    assert list(found.page_ids(1)) == [one.id for one in log[1000:2000]]
    found.restore(0, log[999::-1])
    assert found.event(0) == log[0]
    assert found.missing_pages(0, 999) == ()


async def test_deleted_events_leave_the_rows() -> None:
    """Rows of events that no longer exist are removed when their page is fetched again."""
    found = result(capacity=3)
    log = [event(number) for number in range(6000, 0, -1)]
    await search_matches(pages(log), found, lambda _changed: None)
    found.restore(1, log[1003:2000])
    assert (found.rows, found.total) == (5997, 5997)
    assert list(found.page_ids(1))[:2] == [log[1003].id, log[1004].id]
    assert found.missing_pages(0, found.rows - 1) == tuple(range(6))


@given(st.lists(st.booleans(), max_size=3000), st.integers(1, 4))
def test_rows_are_those_of_a_plain_filter(denied: list[bool], capacity: int) -> None:
    """Whatever matches, the ids are those of a plain filter, and pages in memory have the right events."""
    log = [event(len(denied) - at, "denied" if one else "x") for at, one in enumerate(denied)]
    found = result(capacity=capacity)
    asyncio.run(search_matches(pages(log), found, lambda _changed: None))
    expected = [one.id for one, matches in zip(log, denied, strict=True) if matches]
    assert list(found.ids) == expected
    for row, number in enumerate(expected):
        shown = found.event(row)
        assert shown is None or shown.id == number


_NAMES = st.sampled_from(["work", "work__part", "user", "group", ""])
_OBJECT_TEXTS = st.sampled_from(
    ["work", "WORK", "user", "work 12", "12", "work 12 v2", "work__part 1", "nothing"]
)


@given(
    st.lists(
        st.builds(
            Event,
            id=st.integers(1, 99),
            objecttype=_NAMES,
            basetype=_NAMES,
            object_id=st.none() | st.integers(11, 13),
            object_version=st.none() | st.integers(1, 3),
        )
    ),
    st.lists(st.builds(Condition, _OBJECT_TEXTS, st.just(PatternKind.OBJECT), st.booleans()), max_size=2),
)
def test_a_filter_for_objects_leaves_out_no_match(log: list[Event], conditions: list[Condition]) -> None:
    """The service leaves out only events that a condition would."""
    tables = {one.objecttype or "" for one in log} - {one.basetype or "" for one in log} - {""}
    chosen, matcher = filter_for_objects(EventFilter(), conditions, tables), EventMatcher(conditions)
    for one in filter(matcher.matches, log):
        assert not chosen.object_id or one.object_id in chosen.object_id
        assert not chosen.objecttype or one.objecttype in chosen.objecttype


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("work 24 v2", EventFilter(object_id=(24,), objecttype=("work",))),
        ("user 24", EventFilter(object_id=(24,))),
        ("24", EventFilter(object_id=(24,))),
        ("Work", EventFilter(objecttype=("work",))),
        ("user", EventFilter()),
    ],
)
def test_the_service_filters_by_objects(text: str, expected: EventFilter) -> None:
    """By the id where there is one, else by a table that is known."""
    assert filter_for_objects(EventFilter(), [Condition(text, PatternKind.OBJECT)], {"work"}) == expected
