"""Tests of facet values, their filters and the sample they are taken from."""

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from cdb_desktop.client import Event, EventFilter, Unreadable
from cdb_desktop.events.facets import (
    FACET_PARTS,
    FacetCounts,
    FacetValue,
    ValueCounter,
    count_object_types,
    excluded_values,
    facet_filter,
    facet_query,
    is_excluded,
    is_selected,
    known_candidates,
    narrowed_filter,
    only_value,
    sample_pages,
    toggled_exclusion,
    toggled_value,
)
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryPart, selected_values, with_condition, with_values
from cdb_desktop.queries.typed_query import with_terms
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import parse_query
from cdb_desktop.vocabulary.time_span import TimeSpan

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_value_is_counted_with_all_other_filters() -> None:
    """The filter of its own facet is ignored, so that alternatives have counts."""
    query = Query(types=("SEARCH",), users=(7,), span=TimeSpan(first=NOW))
    by_type, by_user = (facet_query(query, part).at(NOW).filter for part in (QueryPart.TYPE, QueryPart.USER))
    assert narrowed_filter(by_type, QueryPart.TYPE, "USER_LOGIN") == EventFilter(
        type=("USER_LOGIN",), user_id=(7,), date_from=NOW
    )
    assert narrowed_filter(by_user, QueryPart.USER, "7") == EventFilter(
        type=("SEARCH",), user_id=(7,), date_from=NOW
    )
    for part in FACET_PARTS:
        assert facet_filter(query.at(NOW).filter, part) == facet_query(query, part).at(NOW).filter


def test_frequent_users_are_counted_first() -> None:
    """Those with the most events that have been read."""
    known = KnownValues()
    known.add([Event(id=n, user_id=user) for n, user in enumerate((8, 9, 9, 7, 7, 7))])
    assert known_candidates(QueryPart.USER, known) == ["7", "9", "8"]
    assert "SEARCH" in known_candidates(QueryPart.TYPE, known)


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
    assert list(count_object_types(events, is_whole=True).numbers.items()) == [("work", 2), ("place", 1)]


ALL = (
    FacetValue(QueryPart.TYPE, "SEARCH"),
    FacetValue(QueryPart.BASE_TYPE, "asset"),
    FacetValue(QueryPart.USER, "7"),
    FacetValue(None, "work"),
)


@pytest.mark.parametrize("value", ALL, ids=[str(value.part) for value in ALL])
def test_a_value_is_selected_or_excluded(value: FacetValue) -> None:
    """Never both; each of the two can be taken back, and the condition is that of the query line."""
    query = toggled_exclusion(toggled_value(Query(), value), value)
    assert (is_selected(query, value), is_excluded(query, value)) == (False, True)
    assert excluded_values(query, value.part) == [value.value]
    typed = {None: "-object:work", QueryPart.TYPE: "-type:SEARCH", QueryPart.BASE_TYPE: "-base:asset"}
    text = typed.get(value.part, "-user:#7")
    assert with_terms(Query(), parse_query(text, NOW), KnownValues()) == query
    assert toggled_exclusion(query, value) == Query()
    selected = toggled_value(query, value)
    assert (is_selected(selected, value), is_excluded(selected, value)) == (True, False)
    assert excluded_values(selected, value.part) == []
    assert toggled_value(selected, value) == Query()


def test_an_event_has_only_one_object_type() -> None:
    """A second one replaces the first; the condition for one object stays."""
    query = with_condition(Query(), Condition("work 12", PatternKind.OBJECT))
    for name in ("work", "place"):
        query = toggled_value(query, FacetValue(None, name))
    assert [one.text for one in query.conditions] == ["work 12", "place"]
    assert only_value(query, FacetValue(None, "work")).conditions[-1].text == "work"
    assert only_value(
        Query(types=("SEARCH", "OBJECT_DELETE")), FacetValue(QueryPart.TYPE, "API_CALL")
    ).types == ("API_CALL",)


def test_the_margin_of_an_estimate_includes_the_true_number() -> None:
    """In a log where a type is frequent, one rare, and one occurs only at times."""
    log = [
        Event(id=n, type="API_CALL" if 300 <= n // 100 < 500 else "SEARCH" if n % 5 else "OBJECT_DELETE")
        for n in range(100_000)
    ]
    counter = ValueCounter()
    for offset, limit in sample_pages(len(log), 8, 500):
        counter.add(log[offset : offset + limit])
    estimates = counter.estimates(QueryPart.TYPE, len(log))
    for name, number in Counter(event.type for event in log).items():
        assert estimates[name].lowest <= number <= estimates[name].highest
    counts = FacetCounts({}, len(log), estimates=estimates, sampled=counter.read)
    assert not counts.is_exact
    for name in estimates:
        counts = counts.with_number(name, 10)
    assert counts.is_exact
    assert counts.rest == len(log) - 30


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
    rows = {row for offset, limit in sample_pages(total, 16) for row in range(offset, offset + limit)}
    assert rows >= set(range(total))


def test_a_long_result_is_sampled_evenly() -> None:
    """The sample covers the whole result and stays within it."""
    places = sample_pages(1_000_000, 16, 200)
    assert len(places) == 16
    gaps = {after - before for (before, _), (after, _) in pairwise(places)}
    assert gaps == {1_000_000 // 16}
    assert places[0][0] > 0
    assert places[-1][0] + 200 < 1_000_000
    assert sample_pages(0, 4) == []
