"""Tests of values and of the filters that count them."""

from __future__ import annotations

from datetime import UTC, datetime

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.facets import Value, asked, chosen, object_types, toggled, with_values
from cdb_desktop.events.query import Part, Query
from cdb_desktop.events.seen import Seen
from cdb_desktop.events.span import Span

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_value_is_counted_within_all_other_filters() -> None:
    """Its own part does not count, so that what else could be chosen is seen."""
    seen = Seen()
    seen.add([Event(id=1, user_id=7, user_displayname="Anna")])
    query = Query(types=("SEARCH",), users=(7,), span=Span(first=NOW))
    filters = dict(asked(query, NOW, seen))
    assert filters[Value(Part.TYPE, "USER_LOGIN")] == EventFilter(
        type=("USER_LOGIN",), user_id=(7,), date_from=NOW
    )
    assert filters[Value(Part.USER, "7")] == EventFilter(type=("SEARCH",), user_id=(7,), date_from=NOW)


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
