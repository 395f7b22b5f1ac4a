"""Tests of facet values, their filters and the sample they are taken from."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from cdb_desktop.client import Event, EventFilter, Unreadable
from cdb_desktop.events.facets import (
    SAMPLE_PAGES,
    SAMPLE_RECORDS,
    FacetCounts,
    FacetValue,
    ValueCounter,
    count_object_types,
    facet_candidates,
    facet_query,
    narrowed_filter,
    sample_pages,
    toggled_value,
)
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryPart, selected_values, with_values
from cdb_desktop.vocabulary.time_span import TimeSpan

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_value_is_counted_with_all_other_filters() -> None:
    """The filter of its own facet is ignored, so that alternatives have counts."""
    query = Query(types=("SEARCH",), users=(7,), span=TimeSpan(first=NOW))
    by_type, by_user = (facet_query(query, part).at(NOW).filter for part in (QueryPart.TYPE, QueryPart.USER))
    assert narrowed_filter(by_type, FacetValue(QueryPart.TYPE, "USER_LOGIN")) == EventFilter(
        type=("USER_LOGIN",), user_id=(7,), date_from=NOW
    )
    assert narrowed_filter(by_user, FacetValue(QueryPart.USER, "7")) == EventFilter(
        type=("SEARCH",), user_id=(7,), date_from=NOW
    )


def test_frequent_users_are_counted_first() -> None:
    """Chosen users precede them, users known from other sources follow, without duplicates."""
    known, counter = KnownValues(), ValueCounter()
    events = [Event(id=n, user_id=user) for n, user in enumerate((5, 6, 6, 7, 7, 7))]
    known.add([*events, Event(id=10, user_id=8), Event(id=11, user_id=9), Event(id=12, user_id=9)])
    counter.add(events)
    assert facet_candidates(Query(users=(99,)), QueryPart.USER, known, counter) == [
        "99",
        "7",
        "6",
        "5",
        "9",
        "8",
    ]


def test_events_of_other_values_are_the_rest() -> None:
    """There is no rest if the counts exceed the total, since events arrive while others are counted."""
    counts = FacetCounts({"7": 3}, 10)
    assert counts.rest == 7
    assert counts.with_number("8", 9).rest == 0


def test_values_can_be_added_removed_and_chosen_alone() -> None:
    """This holds for each facet."""
    query = toggled_value(
        toggled_value(Query(), FacetValue(QueryPart.USER, "7")), FacetValue(QueryPart.USER, "8")
    )
    assert query.users == (7, 8)
    assert toggled_value(query, FacetValue(QueryPart.USER, "7")).users == (8,)
    assert with_values(query, QueryPart.USER, ["9"]).users == (9,)
    for part in (QueryPart.TYPE, QueryPart.BASE_TYPE):
        assert selected_values(toggled_value(query, FacetValue(part, "x")), part) == ("x",)


def test_object_types_are_those_of_the_given_events() -> None:
    """The most frequent is first."""
    events = [Event(id=n, objecttype=kind) for n, kind in enumerate(("work", "place", "work", None))]
    assert count_object_types(events) == [("work", 2), ("place", 1)]


def test_values_are_counted_and_missing_ones_reported() -> None:
    """An unreadable record has no known value."""
    counter = ValueCounter()
    counter.add([Event(id=1, type="SEARCH", user_id=7), Event(id=2, type="SEARCH", basetype="pool")])
    counter.add([Event(id=3, type="USER_LOGIN", user_id=0), Unreadable("not_object")])
    assert counter.numbers(QueryPart.TYPE) == {"SEARCH": 2, "USER_LOGIN": 1}
    assert counter.numbers(QueryPart.USER) == {"7": 1, "0": 1}
    assert counter.read == 4
    assert [counter.without(part) for part in (QueryPart.TYPE, QueryPart.BASE_TYPE, QueryPart.USER)] == [
        1,
        3,
        2,
    ]


@pytest.mark.parametrize("total", [1, 999, 1001, 1999, 3200])
def test_a_short_result_is_read_completely(total: int) -> None:
    """Every row is in the sample."""
    rows = {row for offset, limit in sample_pages(total) for row in range(offset, offset + limit)}
    assert rows >= set(range(total))


def test_a_long_result_is_sampled_evenly() -> None:
    """The sample covers the whole result and stays within it."""
    places = sample_pages(1_000_000)
    assert len(places) == SAMPLE_PAGES
    gaps = {after - before for (before, _), (after, _) in pairwise(places)}
    assert gaps == {1_000_000 // SAMPLE_PAGES}
    assert places[0][0] > 0
    assert places[-1][0] + SAMPLE_RECORDS < 1_000_000
    assert sample_pages(0) == []
