"""Tests of the language of the query bar."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import (
    FIELD_NAMES,
    Field,
    Term,
    condition_text,
    event_id,
    field_text,
    find_dates,
    parse_query,
)
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

UUID = "3f2b8c1e-9d4a-4b6f-8a7e-1c2d3e4f5a6b"
REGEX, KEY, OBJECT = PatternKind.REGEX, PatternKind.KEY, PatternKind.OBJECT
LAST_WEEK = TimeSpan(preset=TimePreset.LAST_WEEK)

Meaning = tuple[Field, str, bool] | Condition | TimeSpan


pytestmark = pytest.mark.usefixtures("utc")


def words(text: str, *, is_excluded: bool = False) -> Condition:
    """The condition that an event contains words."""
    return Condition(text, PatternKind.WORDS, is_excluded)


def meaning(term: Term) -> Meaning:
    """A term without its place."""
    if term.field is not None:
        return term.field, term.value, term.is_excluded
    found = term.condition if term.condition is not None else term.span
    assert found is not None
    return found


def parse(text: str) -> list[Meaning]:
    """The terms of ``text`` in a service with works."""
    return [meaning(term) for term in parse_query(text, NOW, {"work"})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  permission   denied ", [words("permission denied")]),
        ('"last week"', [Condition("last week")]),
        ('"a \\"b\\" \\\\ c"', [Condition('a "b" \\ c')]),
        ("-denied", [words("denied", is_excluded=True)]),
        ('-"by policy"', [Condition("by policy", is_excluded=True)]),
        ("- denied", [words("- denied")]),
        ("well-known e-mail", [words("well-known e-mail")]),
        ("/time-?out/", [Condition("time-?out", REGEX)]),
        (r"/a\/b c/c", [Condition("a/b c", REGEX, is_exact=True)]),
        ("-/x+/", [Condition("x+", REGEX, is_excluded=True)]),
        ("/usr/share", [words("/usr/share")]),
        ('exact:"Kiss"', [Condition("Kiss", is_exact=True)]),
        ("genau:Kuss", [Condition("Kuss", is_exact=True)]),
        ("type:SEARCH", [(Field.TYPE, "SEARCH", False)]),
        ("Typ:SEARCH,EXPORT_*", [(Field.TYPE, "SEARCH,EXPORT_*", False)]),
        ("-type:API_CALL", [(Field.TYPE, "API_CALL", True)]),
        ('user:"Jonas Roth"', [(Field.USER, "Jonas Roth", False)]),
        ("type:", [(Field.TYPE, "", False)]),
        ("http://example.org/a?b=c", [words("http://example.org/a?b=c")]),
        ("10:40", [words("10:40")]),
        ("reason=denied", [Condition("reason=denied", KEY)]),
        ('-info.reason="not found"', [Condition('info.reason="not found"', KEY, is_excluded=True)]),
        ("key==Kiss", [Condition("key=Kiss", KEY, is_exact=True)]),
        ("object:work 477 v2", [(Field.OBJECT, "work 477 v2", False)]),
        ("object:work denied", [(Field.OBJECT, "work", False), words("denied")]),
        ("-object:477", [(Field.OBJECT, "477", True)]),
        ("work 477 v2", [(Field.OBJECT, "work 477 v2", False)]),
        ("page 477", [words("page 477")]),
        ("deleted work 477 last week", [words("deleted"), (Field.OBJECT, "work 477", False), LAST_WEEK]),
        ("last week", [LAST_WEEK]),
        (
            "denied type:SEARCH last week -user:Website",
            [words("denied"), (Field.TYPE, "SEARCH", False), LAST_WEEK, (Field.USER, "Website", True)],
        ),
        (f" {UUID} ", [Condition(UUID)]),
        (f'{{"realm": "server", "code": "error.server.generic", "uuid": "{UUID}"}}', [Condition(UUID)]),
        (
            '{"realm": "user", "code": "error.user.no_system_right"}',
            [Condition("error.user.no_system_right")],
        ),
        ('{"a": 1}', [words('{"a": 1}')]),
    ],
)
def test_meanings(text: str, expected: list[Meaning]) -> None:
    """Every text has a meaning, and what is nothing else is searched for."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("19908", 19908),
        ("19,908", 19908),
        (" #19.908 ", 19908),
        ("0", None),
        ("19908 a", None),
        ("1,2", None),
    ],
)
def test_ids(text: str, expected: int | None) -> None:
    """A bare number is an id, also as it is shown."""
    assert event_id(text) == expected


@given(st.text(max_size=60) | st.text(alphabet='-"/\\:= typeuserobjc=.*0123456789lastwekvdhour', max_size=60))
def test_any_text(text: str) -> None:
    """No text makes it fail; terms are in order, and all else is white space."""
    end, rest = 0, ""
    for term in parse_query(text, NOW, {"work"}):
        assert end <= term.first < term.last <= len(text)
        rest += text[end : term.first]
        end = term.last
    assert (rest + text[end:]).strip() == ""


_TEXT = st.text(min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
_KEYS = st.from_regex(r"\A[a-z][a-z_.]{0,8}\Z").filter(lambda key: key not in FIELD_NAMES)
_CONDITIONS = st.one_of(
    st.builds(Condition, _TEXT, st.just(PatternKind.TEXT), st.booleans(), st.booleans()),
    st.builds(
        Condition,
        st.tuples(_KEYS, st.from_regex(r"\A[a-z*]{1,8}\Z")).map("=".join),
        st.just(KEY),
        st.booleans(),
        st.booleans(),
    ),
    st.builds(
        Condition,
        st.from_regex(r"\A[a-z/.+ ]{1,12}\Z").filter(lambda text: text.strip() == text),
        st.just(REGEX),
        st.booleans(),
        st.booleans(),
    ),
)


@given(st.lists(_CONDITIONS, max_size=4))
def test_conditions_as_text(conditions: list[Condition]) -> None:
    """Conditions that are written and read again are the same."""
    assert parse(" ".join(map(condition_text, conditions))) == conditions


def test_objects_as_text() -> None:
    """An object is written as a field."""
    text = condition_text(Condition("work 477 v2", OBJECT, is_excluded=True))
    assert parse(text) == [(Field.OBJECT, "work 477 v2", True)]


@given(st.sampled_from([Field.TYPE, Field.USER, Field.GROUP, Field.BASE_TYPE]), _TEXT, st.booleans())
def test_fields_as_text(field: Field, value: str, is_excluded: bool) -> None:
    """Fields that are written and read again are the same."""
    assert parse(field_text(field, value, is_excluded=is_excluded)) == [(field, value, is_excluded)]


def test_fields_in_german(set_language: Callable[[Language], None]) -> None:
    """A window in German writes German names, and not those of earlier versions."""
    set_language("de")
    texts = [field_text(field, "x") for field in Field]
    names = "typ", "basistyp", "benutzer", "benutzertyp", "gruppe", "objekt", "abrufbar", "genau"
    assert texts == [f"{name}:x" for name in names]
    assert [parse(text) for text in texts] == [parse(f"{field.value}:x") for field in Field]


NOW = datetime(2026, 11, 21, 15, 30, 12, 345_678, tzinfo=UTC)  # a Saturday


def bounds(text: str) -> list[str | None]:
    """The bounds of the only date in ``text``, without offset."""
    (found,) = find_dates(text, NOW)
    assert (found.first, found.last) == (0, len(text))
    return [None if each is None else f"{each:%Y-%m-%d %H:%M:%S}" for each in found.span.bounds(NOW)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", "2026-11-21 00:00:00", None),
        ("Heute", "2026-11-21 00:00:00", None),
        ("yesterday", "2026-11-20 00:00:00", "2026-11-20 23:59:59"),
        ("this week", "2026-11-16 00:00:00", None),
        ("last week", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("letzte Woche", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("in der letzten Woche", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("of last week", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("this month", "2026-11-01 00:00:00", None),
        ("last month", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("last 15 min", "2026-11-21 15:15:12", None),
        ("last 3 days", "2026-11-18 15:30:12", None),
        ("letzten 2 Stunden", "2026-11-21 13:30:12", None),
        ("2 weeks ago", "2026-11-02 00:00:00", "2026-11-08 23:59:59"),
        ("vor 2 Wochen", "2026-11-02 00:00:00", "2026-11-08 23:59:59"),
        ("3 days ago", "2026-11-18 00:00:00", "2026-11-18 23:59:59"),
        ("a month ago", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("2 hours ago", "2026-11-21 13:30:12", None),
        ("2026-11-09", "2026-11-09 00:00:00", "2026-11-09 23:59:59"),
        ("9.11.", "2026-11-09 00:00:00", "2026-11-09 23:59:59"),
        ("24.12.", "2025-12-24 00:00:00", "2025-12-24 23:59:59"),
        ("9.11.2024", "2024-11-09 00:00:00", "2024-11-09 23:59:59"),
        ("at 10:40", "2026-11-21 10:35:00", "2026-11-21 10:45:00"),
        ("um 18:00", "2026-11-20 17:55:00", "2026-11-20 18:05:00"),
        ("9.11. 10:40", "2026-11-09 10:35:00", "2026-11-09 10:45:00"),
        ("at yesterday 10:40", "2026-11-20 10:35:00", "2026-11-20 10:45:00"),
        ("2026-11-09T10:40:03.25+01:00", "2026-11-09 09:35:03", "2026-11-09 09:45:03"),
        ("at 2026-11-09 10:40 -0230", "2026-11-09 13:05:00", "2026-11-09 13:15:00"),
        ("since 9.11.", "2026-11-09 00:00:00", None),
        ("seit gestern 18:00", "2026-11-20 18:00:00", None),
        ("since 2h", "2026-11-21 13:30:12", None),
        ("until 10:40", None, "2026-11-21 10:40:00"),
        ("bis 9.11.2024", None, "2024-11-09 23:59:59"),
        ("before 9.11.2024", None, "2024-11-08 23:59:59"),
        ("9.11. .. 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("9.11. - 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("2026-11-09..2026-11-12 08:00", "2026-11-09 00:00:00", "2026-11-12 08:00:00"),
        ("9.11. bis 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("von 9.11.", "2026-11-09 00:00:00", None),
        ("since 9.11. until 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("vom 9.11. bis zum 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("between 9.11. and 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("9.11.-12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("October 2026", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("March 2024 to May 2024", "2024-03-01 00:00:00", "2024-05-31 23:59:59"),
        ("seit März 2024", "2024-03-01 00:00:00", None),
        ("until May 2024", None, "2024-05-31 23:59:59"),
        ("before may 2024", None, "2024-04-30 23:59:59"),
        ("im Dezember", "2025-12-01 00:00:00", "2025-12-31 23:59:59"),
        ("in november", "2026-11-01 00:00:00", "2026-11-30 23:59:59"),
    ],
)
def test_dates(text: str, first: str | None, last: str | None) -> None:
    """English and German dates, relative and absolute; a date without a year is not in the future."""
    assert bounds(text) == [first, last]


@pytest.mark.parametrize(
    "text",
    [
        "31.2.",
        "version 1.2.3",
        "10.1.2.3",
        "week",
        "August Sander",
        "last",
        "ago",
        "http://a/2026-11-09",
        "10:40",
        "5 to 9",
        "999999 weeks ago",
        "last 999999 weeks",
    ],
)
def test_no_dates(text: str) -> None:
    """Versions, addresses, bare numbers and days that do not exist are no dates."""
    assert list(find_dates(text, NOW)) == []


def test_relative_dates_move() -> None:
    """What is relative stays relative, so that a saved query moves with the time."""
    (found,) = find_dates("last week", NOW)
    assert found.span == TimeSpan(preset=TimePreset.LAST_WEEK)
    (found,) = find_dates("last 2 h", NOW)
    assert found.span == TimeSpan(first_ago=7200)
