"""Tests of values and of the filters that count them."""

from __future__ import annotations

from datetime import UTC, datetime

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.facets import (
    Counts,
    Value,
    candidates,
    chosen,
    narrowed,
    object_types,
    toggled,
    with_values,
    within,
)
from cdb_desktop.events.query import Part, Query
from cdb_desktop.events.seen import Seen
from cdb_desktop.events.span import Span
from cdb_desktop.events.tally import Tally

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_value_is_counted_within_all_other_filters() -> None:
    """Its own part does not count, so that what else could be chosen is seen."""
    query = Query(types=("SEARCH",), users=(7,), span=Span(first=NOW))
    by_type, by_user = (within(query, part).at(NOW).filter for part in (Part.TYPE, Part.USER))
    assert narrowed(by_type, Value(Part.TYPE, "USER_LOGIN")) == EventFilter(
        type=("USER_LOGIN",), user_id=(7,), date_from=NOW
    )
    assert narrowed(by_user, Value(Part.USER, "7")) == EventFilter(
        type=("SEARCH",), user_id=(7,), date_from=NOW
    )


def test_who_is_met_most_often_is_counted_first() -> None:
    """What is chosen before all others, and who is known from elsewhere after them; nobody twice."""
    seen, tally = Seen(), Tally()
    events = [Event(id=n, user_id=user) for n, user in enumerate((5, 6, 6, 7, 7, 7))]
    seen.add([*events, Event(id=10, user_id=8), Event(id=11, user_id=9), Event(id=12, user_id=9)])
    tally.add(events)
    assert candidates(Query(users=(99,)), Part.USER, seen, tally) == ["99", "7", "6", "5", "9", "8"]


def test_what_does_not_add_up_is_the_rest() -> None:
    """More than all there can be is no rest: events come while others are counted."""
    counts = Counts({"7": 3}, 10)
    assert counts.rest == 7
    assert counts.with_number("8", 9).rest == 0


def test_values_are_added_taken_away_and_chosen_alone() -> None:
    """For each part that has values."""
    query = toggled(toggled(Query(), Value(Part.USER, "7")), Value(Part.USER, "8"))
    assert query.users == (7, 8)
    assert toggled(query, Value(Part.USER, "7")).users == (8,)
    assert with_values(query, Part.USER, ["9"]).users == (9,)
    for part in (Part.TYPE, Part.BASE_TYPE):
        assert chosen(toggled(query, Value(part, "x")), part) == ("x",)


def test_object_types_are_those_of_the_events_given() -> None:
    """The most frequent first."""
    events = [Event(id=n, objecttype=kind) for n, kind in enumerate(("work", "place", "work", None))]
    assert object_types(events) == [("work", 2), ("place", 1)]
