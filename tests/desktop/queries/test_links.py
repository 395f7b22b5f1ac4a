"""Tests of links: what is shared is what is opened, and whatever else is opened is refused with a reason."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cdb_desktop.client import Sort
from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.queries.links import (
    Link,
    LinkError,
    LinkFault,
    LinkOrigin,
    fixed_query,
    is_link,
    link_text,
    parse_link,
)
from cdb_desktop.queries.query import Query, invalid_value
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.queries.hostile_links import hostile_links
from tests.durations import shortest

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
MUSEUM = LinkOrigin("Museum", "https://db.example.org")
QUERY = Query(
    types=("EXPORT_FAILED", "SEARCH"),
    users=(7,),
    pollable=False,
    span=TimeSpan(first=datetime(2026, 11, 16, tzinfo=UTC), last=datetime(2026, 11, 17, 8, tzinfo=UTC)),
    sort=(Sort("timestamp"), Sort("_id", descending=True)),
    conditions=(
        Condition('info.reason="not found"', PatternKind.KEY, is_excluded=True),
        Condition("Köln & Bonn?", is_exact=True),
    ),
)
WRITTEN = (
    "cdb://events?profile=Museum&server=https://db.example.org&type=EXPORT_FAILED&type=SEARCH&user=7&pollable=no"
    "&-key=info.reason=%22not%20found%22&exact-text=K%C3%B6ln%20%26%20Bonn%3F"
    "&from=2026-11-16T00:00:00Z&to=2026-11-17T08:00:00Z&sort=timestamp,-_id&v=1"
)


pytestmark = pytest.mark.usefixtures("utc")


def test_a_link_can_be_read_by_people() -> None:
    """It is stable: links in tickets are opened years later."""
    assert link_text(Link(MUSEUM, QUERY), NOW) == WRITTEN
    assert parse_link(WRITTEN) == Link(MUSEUM, QUERY)


def test_an_event_has_a_link() -> None:
    """Without the filters of whoever shares it."""
    text = link_text(Link(MUSEUM, event=19908), NOW)
    assert text == "cdb://events/19908?profile=Museum&server=https://db.example.org&v=1"
    assert parse_link(text) == Link(MUSEUM, event=19908)


@pytest.mark.parametrize(
    ("span", "first", "last"),
    [
        (TimeSpan(preset=TimePreset.LAST_WEEK), "2026-11-09T00:00:00Z", "2026-11-15T23:59:59Z"),
        (TimeSpan(preset=TimePreset.HOUR), "2026-11-21T14:30:00Z", "2026-11-21T15:30:00Z"),
        (TimeSpan(first_ago=60), "2026-11-21T15:29:00Z", "2026-11-21T15:30:00Z"),
        (TimeSpan(last_ago=60), None, "2026-11-21T15:29:00Z"),
        (TimeSpan(first=NOW), "2026-11-21T15:30:00Z", None),
    ],
)
def test_relative_dates_become_times(span: TimeSpan, first: str | None, last: str | None) -> None:
    """The link shows the same events tomorrow; what has no end by itself ends when it is copied."""
    text = link_text(Link(MUSEUM, Query(span=span)), NOW)
    found = parse_link(text).query.span
    expected = [None if each is None else datetime.fromisoformat(each) for each in (first, last)]
    assert [found.first, found.last] == expected
    assert not found.is_relative


def test_times_are_in_utc() -> None:
    """Another zone means the same moment."""
    moment = datetime(2026, 11, 21, 1, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    text = link_text(Link(MUSEUM, Query(span=TimeSpan(first=moment))), NOW)
    assert "&from=2026-11-20T19:30:00Z&" in text


def test_a_demo_has_no_address() -> None:
    """Its port changes with each start."""
    text = link_text(Link(LinkOrigin("Museum (demo)")), NOW)
    assert text == "cdb://events?profile=Museum%20%28demo%29&v=1"
    assert parse_link(text).origin == LinkOrigin("Museum (demo)")


def test_a_link_is_found_in_what_mails_make_of_it() -> None:
    """In angle brackets, with blanks around it, with letters in place of their codes."""
    assert parse_link(f"  <{WRITTEN}>\n") == Link(MUSEUM, QUERY)
    assert parse_link(WRITTEN.replace("%C3%B6", "ö").replace("cdb://events?", "CDB://Events/?")) == Link(
        MUSEUM, QUERY
    )
    assert is_link(f" <{WRITTEN}>")
    assert not any(map(is_link, ("", "cd", "type:SEARCH", "https://db.example.org", "a cdb://events")))


TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7))]))
IDS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3).map(tuple)
CONDITIONS = st.builds(Condition, TEXTS, st.sampled_from(PatternKind), st.booleans(), st.booleans())
SECONDS = st.integers(0, 10**9)
SPANS = st.one_of(
    st.builds(TimeSpan, preset=st.sampled_from(TimePreset)),
    st.builds(TimeSpan, first=st.none() | MOMENTS, last=st.none() | MOMENTS),
    st.builds(
        TimeSpan, first_ago=st.none() | st.integers(0, 10**9), last_ago=st.none() | st.integers(0, 10**9)
    ),
)
QUERIES = st.builds(
    Query,
    types=st.lists(TEXTS, max_size=3).map(tuple),
    base_types=st.lists(TEXTS, max_size=2).map(tuple),
    users=IDS,
    groups=IDS,
    user_types=st.lists(TEXTS, max_size=2).map(tuple),
    pollable=st.none() | st.booleans(),
    span=SPANS,
    sort=st.lists(st.builds(Sort, st.sampled_from(SORT_FIELDS), st.booleans()), max_size=4).map(tuple),
    conditions=st.lists(CONDITIONS, max_size=3).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(QUERIES, TEXTS, st.sampled_from(["", "https://db.example.org/service", "http://[::1]:8040"]))
def test_what_is_copied_is_what_is_opened(query: Query, name: str, server: str) -> None:
    """A query with invisible characters, or with one that nothing can test, cannot be copied."""
    origin = LinkOrigin(name, server)
    assume(invalid_value(query) is None)
    try:
        text = link_text(Link(origin, query), NOW)
    except LinkError as error:
        assert error.fault is LinkFault.CHARACTER  # noqa: PT017  # only some of the queries are refused
        return
    assert text.isascii()
    assert text.isprintable()
    found = parse_link(text)
    assert found == Link(LinkOrigin(origin.name, server), fixed_query(query, NOW))
    assert link_text(found, NOW + timedelta(days=1)) == text


def test_no_part_of_a_link_is_opened() -> None:
    """A link that was cut off would show more than was meant."""
    for place in range(len(WRITTEN)):
        with pytest.raises(LinkError):
            parse_link(WRITTEN[:place])


NO_START, NO_END = "It does not begin with cdb://events.", "Its end is missing. Copy the whole link."
A = "cdb://events?profile=a"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NO_START),
        ("https://db.example.org", NO_START),
        ("cdb://schema?profile=a&v=1", NO_START),
        ("cdb://events.evil?profile=a&v=1", NO_START),
        ("cdb://events", NO_END),
        (f"{A}&ty", NO_END),
        ("cdb://events?v=1", "“profile” is missing."),
        (f"{A}&v=3", "It was made by another version of the program (format 3, expected 2)."),
        (f"{A}&delete=yes&v=1", "It contains an unknown term “delete”."),
        ("cdb://events/7?profile=a&type=b&v=1", "It contains an unknown term “type”."),
        (f"{A}&b&v=1", "It contains an unknown term “b”."),
        (f"{A}&profile=b&v=1", "“profile” occurs more often than it may."),
        (f"{A}&v=1&v=1", "“v” occurs more often than it may."),
        (f"{A}&{'text=b&' * 21}v=1", "“text” occurs more often than it may."),
        (f"{A} b&v=1", "It contains a character that is not allowed (U+0020), at position 23."),
        (f"{A}%E2%80%AEb&v=1", "It contains a character that is not allowed (U+202E), at position 22."),
        (f"{A}&text=%00&v=1", "It contains a character that is not allowed (U+0000), at position 29."),
        (f"{A}%zz&v=1", "The text at position 23 is not encoded correctly."),
        (f"{A}&text=%ff&v=1", "The text at position 29 is not encoded correctly."),
        ("cdb://events/1a?profile=a&v=1", "“1a” is not a possible value of “events”."),
        (f"{A}&user={2**63}&v=1", "“9223372036854775808” is not a possible value of “user”."),
        (f"{A}&from=2026-11-20&v=1", "“2026-11-20” is not a possible value of “from”."),
        (f"{A}&sort=info&v=1", "“info” is not a possible value of “sort”."),
        (f"{A}&-regex=((&v=1", "“((” is not a possible value of “-regex”."),
        (f"{A}&pollable=1&v=1", "“1” is not a possible value of “pollable”."),
        (f"{A}&text={'x' * 1001}&v=1", "It is too long for a link."),
        (f"{A}&{'type=b&' * 3000}v=1", "It is too long for a link."),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    """In one sentence, with the term or the position."""
    with pytest.raises(LinkError) as raised:
        parse_link(text)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    "query",
    [
        Query(types=("x" * 900,) * 20),
        Query(conditions=(Condition("x" * 1001),)),
        Query(conditions=tuple(Condition(str(number)) for number in range(21))),
        Query(types=("\udc80",)),
        Query(conditions=(Condition("a\x07b"),)),
    ],
)
def test_a_query_that_does_not_fit_is_not_copied(query: Query) -> None:
    """Nobody gets a link that cannot be opened."""
    with pytest.raises(LinkError):
        link_text(Link(MUSEUM, query), NOW)


def test_hostile_links_are_refused_or_harmless() -> None:
    """Each is a query that this program could have copied, or refused with a reason."""
    outcomes = {"link": 0, "error": 0}
    for text in hostile_links(10_000):
        try:
            link = parse_link(text)
        except LinkError as error:
            outcomes["error"] += 1
            assert error.reason.endswith(".")  # noqa: PT017  # each outcome is checked
            assert error.reason.isprintable()  # noqa: PT017
            assert len(error.reason) < 200  # noqa: PT017
        else:
            outcomes["link"] += 1
            assert invalid_value(link.query) is None
            assert parse_link(link_text(link, NOW)) == link
    assert min(outcomes.values()) > 500, outcomes


@pytest.mark.parametrize("name", ["key", "text", "regex", "object"])
def test_long_values_are_read_at_once(name: str) -> None:
    """The time does not grow with the square of what a link may contain."""

    def read(filling: str, length: int) -> None:
        term = f"{name}={quote(filling * (900 // len(filling)))}&"
        with suppress(LinkError):
            parse_link(f"cdb://events?profile=a&{term * max(1, length // len(term))}v=1")

    for filling in (" ", "=", "a=", "*", "\\", "(", '"', "a = ", ".*", "\n"):
        short = shortest(partial(read, filling, 1_500), 10)
        assert shortest(partial(read, filling, 15_000)) < 40 * short, filling
