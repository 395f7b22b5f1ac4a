"""Tests of the pages of a result."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Sort, Unreadable
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.queries.query import ResolvedQuery

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def page(number: int, length: int = PAGE_SIZE) -> Sequence[Event]:
    """A page of events with ids that descend from a million."""
    first = 1_000_000 - number * PAGE_SIZE
    return [Event(id=first - place, timestamp=MOMENT) for place in range(length)]


def test_first_rows_are_available_before_the_count() -> None:
    """A full first page has its rows, and the count adds the others."""
    result = QueryResult(ResolvedQuery(), page(0))
    assert (result.total, result.rows) == (None, PAGE_SIZE)
    result.total = 2_500
    assert result.rows == 2_500


def test_a_short_page_ends_the_result() -> None:
    """A page that is not full needs no count."""
    result = QueryResult(ResolvedQuery(), page(0, 7))
    assert (result.total, result.rows) == (7, 7)


def test_a_count_that_equals_the_rows_ends_the_result() -> None:
    """A full page may be the last one."""
    result = QueryResult(ResolvedQuery(), page(0))
    result.set_count(PAGE_SIZE)
    assert (result.total, result.missing_pages(0, PAGE_SIZE)) == (PAGE_SIZE, ())


def test_a_short_page_does_not_end_a_counted_result() -> None:
    """The missing rows are still requested, for the first page or a later one."""
    result = QueryResult(ResolvedQuery(), page(0, 500))
    result.set_count(2_400)
    assert (result.total, result.missing_pages(0, 10)) == (2_400, (0,))
    result.add_page(0, page(0))
    result.add_page(1, page(1, 200))
    assert (result.total, result.missing_pages(1_000, 1_010)) == (2_400, (1,))
    result.add_page(2, page(2, 400))
    assert result.missing_pages(2_000, 2_399) == (1,)
    result.shrink(1_200)
    assert (result.rows, result.missing_pages(0, 1_199)) == (1_200, ())


def test_a_row_is_found_in_its_page() -> None:
    """Pages have 1000 rows, and a row that is not loaded is None."""
    result = QueryResult(ResolvedQuery(), page(0))
    result.total = 3_000
    result.add_page(2, page(2))
    rows = [result.event(row) for row in (0, 999, 1_000, 2_001)]
    assert [event and event.id for event in rows] == [1_000_000, 999_001, None, 997_999]


def test_large_pages_are_removed_earlier() -> None:
    """Memory is limited for any events; visible rows stay."""
    result = QueryResult(ResolvedQuery(), page(0))
    result.total = 20_000
    info = msgspec.Raw(msgspec.json.encode("x" * 20_000))
    for number in range(1, 20):
        result.add_page(number, [replace(event, info=info) for event in page(number)])
    here = [number for number in range(20) if result.event(number * PAGE_SIZE) is not None]
    assert here == [17, 18, 19]


def test_visible_rows_and_their_neighbors_are_requested_once() -> None:
    """Neighboring pages are prefetched, loaded ones are not requested."""
    result = QueryResult(ResolvedQuery(), page(0))
    result.total = 10_000
    assert result.missing_pages(0, 40) == ()
    assert result.missing_pages(560, 600) == (1,)
    assert result.missing_pages(4_990, 5_030) == (4, 5)
    assert result.missing_pages(9_990, 9_999) == (9,)


def test_a_result_without_a_count_is_read_to_its_end() -> None:
    """If a service cannot count in time, all rows are still shown, page by page."""
    result = QueryResult(ResolvedQuery(), page(0))
    assert result.missing_pages(560, 600) == (1,)
    result.add_page(1, page(1))
    assert (result.rows, result.missing_pages(1_560, 1_600)) == (2_000, (2,))
    result.add_page(2, [])
    assert (result.total, result.missing_pages(1_990, 1_999)) == (2_000, ())


def test_the_least_recently_used_page_is_removed() -> None:
    """Memory is limited for any scrolling."""
    result = QueryResult(ResolvedQuery(), page(0), capacity=2)
    result.total = 5_000
    result.add_page(1, page(1))
    assert result.event(0) is not None
    result.add_page(2, page(2))
    assert [result.event(row) is not None for row in (0, 1_000, 2_000)] == [True, False, True]


def test_later_pages_do_not_shift_when_events_arrive() -> None:
    """Paging is limited to the first row's time, unless the query has its own end."""
    assert QueryResult(ResolvedQuery(), page(0)).resolved_query.filter.date_to == MOMENT
    earlier = datetime(2025, 1, 1, tzinfo=UTC)
    query = ResolvedQuery(EventFilter(date_to=earlier))
    assert QueryResult(query, page(0)).resolved_query is query
    by_type = ResolvedQuery(sort=(Sort("type"),))
    assert QueryResult(by_type, page(0)).resolved_query is by_type  # the first row is not the newest there


def test_an_event_is_found_by_its_id() -> None:
    """A refresh returns to the current event."""
    result = QueryResult(ResolvedQuery(), page(0))
    assert result.row_of(999_990) == 10
    assert result.row_of(5) is None


def test_an_unreadable_record_occupies_its_row() -> None:
    """It is neither an event nor pending; all other rows are in their places."""
    odd = Unreadable("not_object", b"null")
    result = QueryResult(ResolvedQuery(), [*page(0)[:3], odd, *page(0)[3:-1]])
    assert (result.rows, result.unreadable, result.newest) == (PAGE_SIZE, 1, 1_000_000)
    assert (result.record(3), result.event(3)) == (odd, None)
    assert result.row_of(page(0)[3].id) == 4
    assert [len(found) for found in result.loaded_events()] == [PAGE_SIZE - 1]
    assert [len(found) for found in result.loaded_records()] == [PAGE_SIZE]
    assert result.missing_pages(0, 20) == ()
    result.add_page(1, [odd, odd])
    assert (result.rows, result.unreadable) == (PAGE_SIZE + 2, 3)


def test_a_result_that_starts_with_an_unreadable_record_has_no_end() -> None:
    """Its time is unknown, and all rows would shift by one."""
    result = QueryResult(ResolvedQuery(), [Unreadable("not_object"), *page(0, 5)])
    assert result.resolved_query == ResolvedQuery()
    assert result.newest == 1_000_000


def test_a_count_that_is_too_small_is_ignored() -> None:
    """More rows than that are loaded."""
    result = QueryResult(ResolvedQuery(), page(0))
    for counted in (3, None):
        result.set_count(counted)
        assert result.total is None
    result.set_count(2_500)
    assert result.total == 2_500
