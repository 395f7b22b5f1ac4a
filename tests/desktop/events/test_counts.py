"""Tests of counting events that are newer than a result."""

from datetime import UTC, datetime, timedelta

from cdb_desktop.client import EventFilter, Record, Unreadable
from cdb_desktop.events.counts import MAX_NEWER, NewerCount, count_newer, newer_filter
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from tests.desktop.ui.widgets.builders import event

NOON = datetime(2026, 5, 6, 12, tzinfo=UTC)
EVERYTHING = EventFilter()


def _result(*ids: int) -> QueryResult:
    result = QueryResult(ResolvedQuery(), [event(one) for one in ids])
    result.resolved_query = ResolvedQuery(EVERYTHING).frozen_at(NOON)
    return result


def test_only_newer_events_are_requested() -> None:
    """The query has its own filters, and its own start if that is later."""
    chosen = EventFilter(type=("SEARCH",))
    assert newer_filter(_result(7), chosen) == EventFilter(type=("SEARCH",), date_from=NOON)
    later = EventFilter(date_from=NOON + timedelta(hours=1))
    assert newer_filter(_result(7), later) == later
    earlier = EventFilter(date_from=NOON - timedelta(hours=1), date_to=NOON + timedelta(hours=9))
    assert newer_filter(_result(7), earlier) == EventFilter(date_from=NOON, date_to=NOON + timedelta(hours=9))


def test_every_event_is_newer_than_an_empty_result() -> None:
    """If the newest row is unknown, newer events cannot be counted."""
    assert newer_filter(QueryResult(ResolvedQuery(), []), EVERYTHING) == EVERYTHING
    unknown = _result(7)
    unknown.newest = None
    assert newer_filter(unknown, EVERYTHING) is None


def test_events_of_the_same_moment_are_distinguished_by_id() -> None:
    """The newest known event is in the answer and does not count."""
    assert count_newer(_result(7), [event(9), event(8), event(7), event(6)]) == NewerCount(2)
    assert count_newer(_result(7), [event(7)]) == NewerCount(0)


def test_many_events_are_not_counted_exactly() -> None:
    """The answer is limited, so there may be more of them."""
    many = [event(1000 - place) for place in range(MAX_NEWER)]
    assert count_newer(_result(7), many) == NewerCount(MAX_NEWER - 1, is_exact=False)


def test_unreadable_records_do_not_count() -> None:
    """If only they mark the end of the newer events, there may be more."""
    odd = Unreadable("no_id")
    assert count_newer(_result(7), [odd, event(9), odd, event(7)]) == NewerCount(1)
    many: list[Record] = [odd, *(event(1000 - place) for place in range(MAX_NEWER - 1))]
    assert count_newer(_result(7), many) == NewerCount(MAX_NEWER - 1, is_exact=False)
