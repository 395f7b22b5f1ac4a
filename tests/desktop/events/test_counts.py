"""Tests of counting events that are newer than a result."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cdb_desktop.client import EventFilter, Record, Unreadable
from cdb_desktop.events.counts import MAX_NEWER, NewerCount, count_newer, newer_filter
from cdb_desktop.events.query import ResolvedQuery
from cdb_desktop.events.result import QueryResult
from tests.desktop.ui.widgets.builders import event

NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)
EVERYTHING = EventFilter()


def _result(*ids: int) -> QueryResult:
    result = QueryResult(ResolvedQuery(), [event(one) for one in ids])
    result.resolved_query = ResolvedQuery(EVERYTHING).frozen_at(NOON)
    return result


def test_only_what_is_later_is_asked_for() -> None:
    """With the filters of the query, whose own beginning counts where it is later still."""
    asked = EventFilter(type=("SEARCH",))
    assert newer_filter(_result(7), asked) == EventFilter(type=("SEARCH",), date_from=NOON)
    later = EventFilter(date_from=NOON + timedelta(hours=1))
    assert newer_filter(_result(7), later) == later
    earlier = EventFilter(date_from=NOON - timedelta(hours=1), date_to=NOON + timedelta(hours=9))
    assert newer_filter(_result(7), earlier) == EventFilter(date_from=NOON, date_to=NOON + timedelta(hours=9))


def test_an_empty_result_has_nothing_before_it() -> None:
    """Whatever passes the filters then is new; rows of which nobody knows the newest cannot tell."""
    assert newer_filter(QueryResult(ResolvedQuery(), []), EVERYTHING) == EVERYTHING
    unknown = _result(7)
    unknown.newest = None
    assert newer_filter(unknown, EVERYTHING) is None


def test_events_of_the_same_moment_are_told_apart_by_id() -> None:
    """The newest that is known comes with the answer and does not count."""
    assert count_newer(_result(7), [event(9), event(8), event(7), event(6)]) == NewerCount(2)
    assert count_newer(_result(7), [event(7)]) == NewerCount(0)


def test_many_are_not_counted_to_the_end() -> None:
    """The answer is cut, so there may be more of them."""
    many = [event(1000 - place) for place in range(MAX_NEWER)]
    assert count_newer(_result(7), many) == NewerCount(MAX_NEWER - 1, is_exact=False)


def test_what_cannot_be_read_does_not_count() -> None:
    """Where nothing else shows where the newer ones end there may be more."""
    odd = Unreadable("no_id")
    assert count_newer(_result(7), [odd, event(9), odd, event(7)]) == NewerCount(1)
    many: list[Record] = [odd, *(event(1000 - place) for place in range(MAX_NEWER - 1))]
    assert count_newer(_result(7), many) == NewerCount(MAX_NEWER - 1, is_exact=False)
