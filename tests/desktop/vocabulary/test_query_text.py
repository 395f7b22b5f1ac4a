"""Tests of the language of the query bar."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import (
    FIELD_NAMES,
    Field,
    Term,
    condition_text,
    event_id,
    field_text,
    parse_query,
)
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

NOW = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
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


@given(st.text(max_size=60) | st.text(alphabet='-"/\\:= typeuserobjc=.*2489lastwekv', max_size=60))
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
