"""Tests of typed terms as queries, and of queries as text."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import (
    TypedQueryError,
    TypedQueryFault,
    span_phrase,
    typed_text,
    with_terms,
)
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import find_dates, parse_query
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
KEY, OBJECT, REGEX = PatternKind.KEY, PatternKind.OBJECT, PatternKind.REGEX


pytestmark = pytest.mark.usefixtures("utc")


def known() -> KnownValues:
    """Three users, a group and works."""
    found = KnownValues()
    found.add(
        Event(id=number, type="SEARCH", user_id=number, user_displayname=name, objecttype="work")
        for number, name in ((7, "Jonas Roth"), (8, "Anna Roth"), (9, "Website"))
    )
    found.add([Event(id=20, type="SEARCH", user={"_groups": [{"_id": 5, "name": "Staff"}]})])
    return found


def typed(text: str, query: Query | None = None) -> Query:
    """The query with what was typed."""
    seen = known()
    return with_terms(query or Query(), parse_query(text, NOW, set(seen.object_types)), seen)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("type:search", Query(types=("SEARCH",))),
        ("type:EXPORT_F*", Query(types=("EXPORT_FAILED", "EXPORT_FINISH"))),
        ("type:MOON_LANDING", Query(types=("MOON_LANDING",))),
        ("type:MOON_*", Query(conditions=(Condition("type=MOON_*", KEY),))),
        ("type:SEARCH,DETAIL_VIEW", Query(types=("SEARCH", "DETAIL_VIEW"))),
        ("type:SEARCH, DETAIL_VIEW", Query(types=("SEARCH", "DETAIL_VIEW"))),
        (
            "type:SEARCH, last week",
            Query(types=("SEARCH",), span=TimeSpan(preset=TimePreset.LAST_WEEK)),
        ),
        ("type:SEARCH type:DETAIL_VIEW", Query(types=("SEARCH", "DETAIL_VIEW"))),
        ("-type:SEARCH", Query(conditions=(Condition("type=SEARCH", KEY, is_excluded=True),))),
        ("base:user", Query(base_types=("user",))),
        ('user:"jonas roth"', Query(users=(7,))),
        ("user:roth", Query(users=(8, 7))),
        ("user:#12", Query(users=(12,))),
        ("user:nobody", Query(conditions=(Condition("user=*nobody*", KEY),))),
        ("-user:Website", Query(conditions=(Condition("user._id=9", KEY, is_excluded=True),))),
        ("group:staff", Query(groups=(5,))),
        ("group:#6", Query(groups=(6,))),
        ("usertype:email", Query(user_types=("email",))),
        ("pollable:yes", Query(pollable=True)),
        ("pollable:nein", Query(pollable=False)),
        ("work 477 v2", Query(conditions=(Condition("work 477 v2", OBJECT),))),
        ("-object:work", Query(conditions=(Condition("work", OBJECT, is_excluded=True),))),
        ("last week", Query(span=TimeSpan(preset=TimePreset.LAST_WEEK))),
        ("/x+/", Query(conditions=(Condition("x+", REGEX),))),
    ],
)
def test_terms(text: str, expected: Query) -> None:
    """The service's filters are used where it has one, and conditions for all else."""
    assert typed(text) == expected


def test_terms_are_added() -> None:
    """What was typed narrows the query; a date replaces the date, and the opposite its condition."""
    query = typed("denied type:SEARCH last week", Query(types=("DETAIL_VIEW",), pollable=True))
    assert (query.types, query.pollable) == (("DETAIL_VIEW", "SEARCH"), True)
    query = typed("-denied today", query)
    assert query.conditions == (Condition("denied", PatternKind.WORDS, is_excluded=True),)
    assert query.span == TimeSpan(preset=TimePreset.TODAY)


@pytest.mark.parametrize(
    ("text", "fault", "place"),
    [
        ("denied type:", TypedQueryFault.NO_VALUE, (7, 12)),
        ("group:Nobody", TypedQueryFault.UNKNOWN_GROUP, (0, 12)),
        ("-group:Staff", TypedQueryFault.NOT_EXCLUDABLE, (0, 12)),
        ("-usertype:email", TypedQueryFault.NOT_EXCLUDABLE, (0, 15)),
        ("pollable:perhaps", TypedQueryFault.YES_OR_NO, (0, 16)),
        ("a /(/", TypedQueryFault.EXPRESSION, (2, 5)),
        ("type:SEARCH,MOON_*", TypedQueryFault.UNKNOWN_PATTERN, (0, 18)),
        ("usertype:moon*", TypedQueryFault.NOT_EXCLUDABLE, (0, 14)),
    ],
)
def test_faults(text: str, fault: TypedQueryFault, place: tuple[int, int]) -> None:
    """A term without meaning is named with its place."""
    with pytest.raises(TypedQueryError) as caught:
        typed(text)
    assert caught.value.fault is fault
    assert (caught.value.term.first, caught.value.term.last) == place


_SECONDS = st.integers(0, 10**8)
_TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=0)
)
_SPANS = st.one_of(
    st.builds(TimeSpan, preset=st.sampled_from(list(TimePreset))),
    st.builds(TimeSpan, first=_TIMES, last=_TIMES),
    st.builds(TimeSpan, first=_TIMES),
    st.builds(TimeSpan, last=_TIMES),
    st.just(TimeSpan()),
)
_TEXT = st.text(min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
_CONDITIONS = st.one_of(
    st.builds(Condition, _TEXT, st.just(PatternKind.TEXT), st.booleans(), st.booleans()),
    st.builds(Condition, st.sampled_from(["work", "work 477 v2"]), st.just(OBJECT), st.booleans()),
    st.builds(Condition, st.sampled_from(["info.a=b", "x=*", 'k="a b"']), st.just(KEY), st.booleans()),
)


def _without_sign(condition: Condition) -> tuple[str, PatternKind, bool]:
    """A condition and its opposite cannot both be in a query."""
    return condition.text, condition.kind, condition.is_exact


_QUERIES = st.builds(
    Query,
    types=st.sampled_from([(), ("SEARCH",), ("SEARCH", "MOON_LANDING")]),
    base_types=st.sampled_from([(), ("user",)]),
    users=st.sampled_from([(), (7,), (7, 12)]),
    groups=st.sampled_from([(), (5, 6)]),
    user_types=st.sampled_from([(), ("email",)]),
    pollable=st.sampled_from([None, True, False]),
    span=_SPANS,
    conditions=st.lists(_CONDITIONS, max_size=3, unique_by=_without_sign).map(tuple),
)


@given(_QUERIES)
def test_queries_as_text(query: Query) -> None:
    """A query that is written and read again selects the same events."""
    again = typed(typed_text(query))
    assert again.at(NOW).filter == query.at(NOW).filter
    assert again.conditions == query.conditions


@given(_SECONDS, _SECONDS)
def test_ages_as_text(first: int, last: int) -> None:
    """Ages keep their meaning for a second."""
    span = TimeSpan(first_ago=first, last_ago=last)
    (found,) = find_dates(span_phrase(span), NOW)
    assert found.span.bounds(NOW) == span.bounds(NOW)
    (since,) = find_dates(span_phrase(TimeSpan(first_ago=first)), NOW)
    assert since.span == TimeSpan(first_ago=first)
    assert since.span.bounds(NOW + timedelta(hours=1)) != since.span.bounds(NOW)
