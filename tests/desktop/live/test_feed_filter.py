"""Tests of queries as filters of feeds."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.live.feed_filter import (
    EarlierFilter,
    FeedMatcher,
    shows_type,
    with_only_type,
    with_types,
    without_type,
)
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryMatcher
from cdb_desktop.queries.typed_query import with_event_terms
from cdb_desktop.vocabulary.pattern import Condition
from cdb_desktop.vocabulary.query_text import parse_query

LOGIN, INDEX, MOON = (Event(id=1, type=one) for one in ("USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"))


def shown(query: Query) -> list[str]:
    """The types that a filter shows."""
    matches = FeedMatcher(query).matches
    return [event.type for event in (LOGIN, INDEX, MOON) if matches(event)]


def test_new_types_are_shown_unless_types_were_chosen() -> None:
    """A filter without any type shows none."""
    assert shown(Query()) == ["USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"]
    assert shown(without_type(Query(), "OBJECT_INDEX")) == ["USER_LOGIN", "MOON_LANDING"]
    assert shown(with_only_type(Query(), "USER_LOGIN")) == ["USER_LOGIN"]
    assert shown(without_type(with_only_type(Query(), "USER_LOGIN"), "USER_LOGIN")) == []


def test_check_boxes_become_a_filter() -> None:
    """The same boxes mean the same for known types, whether new types are shown or not."""
    before = Query(users=(7,), conditions=(Condition("denied"),))
    for others in (True, False):
        chosen = with_types(before, ["USER_LOGIN"], ["OBJECT_INDEX"], others=others)
        assert (chosen.users, Condition("denied") in chosen.conditions) == ((7,), True)
        names = ("USER_LOGIN", "OBJECT_INDEX", "NEW")
        assert [shows_type(chosen, one) for one in names] == [True, False, others]
        assert with_types(chosen, [], [], others=True) == before


def test_an_earlier_filter_shows_the_same() -> None:
    """A part of a name in any case, or the id of a user without a name."""
    matches = FeedMatcher(EarlierFilter(user=" WEB ").query).matches
    assert matches(Event(id=1, user_id=1, user_displayname="Anna Weber"))
    assert not matches(Event(id=2, user_id=2, user_displayname="Jonas Roth"))
    assert not matches(Event(id=4))
    assert FeedMatcher(EarlierFilter(user="#7").query).matches(Event(id=3, user_id=7))
    nothing = EarlierFilter(others=False)
    assert shown(nothing.query) == []
    assert shown(EarlierFilter(exceptions=frozenset({"USER_LOGIN"})).query) == [
        "OBJECT_INDEX",
        "MOON_LANDING",
    ]


TERMS = (
    "type:SEARCH",
    "-type:SEARCH",
    "base:pool",
    "user:web",
    "-user:web",
    "user:#7",
    "work",
    "work 5",
    "schema=USER",
    "type=OBJECT_*",
    "exact:Weber",
    "pollable:no",
)
EVENTS = st.builds(
    Event,
    id=st.integers(1, 9),
    type=st.sampled_from(["SEARCH", "OBJECT_UPDATE", "NEW"]),
    basetype=st.sampled_from([None, "pool", "user"]),
    objecttype=st.sampled_from([None, "work"]),
    schema=st.sampled_from([None, "USER"]),
    object_id=st.sampled_from([None, 5, 7]),
    user_id=st.sampled_from([None, 7, 8]),
    user_displayname=st.sampled_from([None, "Anna Weber", "Jonas Roth"]),
)


@given(st.lists(st.sampled_from(TERMS), max_size=4, unique=True), st.lists(EVENTS, max_size=8))
def test_a_feed_shows_what_the_query_matches(terms: list[str], events: list[Event]) -> None:
    """What depends on type and user only is tested once for each."""
    query = with_event_terms(Query(), parse_query(" ".join(terms), datetime.now(UTC)), KnownValues())
    feed, whole = FeedMatcher(query), QueryMatcher(query)
    assert [feed.matches(event) for event in events] == [whole.matches(event) for event in events]


@pytest.mark.parametrize("text", ["type:SEARCH", "-type:SEARCH user:web", "user:#7 base:pool"])
def test_types_and_users_need_no_test_of_each_event(text: str) -> None:
    """A feed with a million events is filtered at once."""
    query = with_event_terms(Query(), parse_query(text, datetime.now(UTC)), KnownValues())
    assert FeedMatcher(query).rest is None
