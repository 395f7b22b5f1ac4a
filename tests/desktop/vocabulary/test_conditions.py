"""Tests of conditions on single events."""

from __future__ import annotations

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.conditions import Condition, EventMatcher, object_condition
from cdb_desktop.vocabulary.pattern import PatternError, PatternKind

EVENT = Event(
    id=19_703,
    type="DOWNLOAD_FAILED",
    objecttype="work",
    object_id=477,
    object_version=2,
    info=msgspec.Raw(b'{"reason": "denied by policy", "size": 12}'),
    user={"_id": 7, "_generated_displayname": "Jonas Roth"},
    user_id=7,
    user_displayname="Jonas Roth",
)
REGEX, KEY, OBJECT, WORDS = PatternKind.REGEX, PatternKind.KEY, PatternKind.OBJECT, PatternKind.WORDS


@pytest.mark.parametrize(
    "condition",
    [
        Condition("Denied by"),
        Condition("download", is_exact=False),
        Condition("DOWNLOAD", is_exact=True),
        Condition(r"den\w+ by", REGEX),
        Condition("reason=denied*", KEY),
        Condition("type=DOWNLOAD_*", KEY),
        Condition("size=12", KEY),
        Condition("work", OBJECT),
        Condition("work 477", OBJECT),
        Condition("Work 477 v2", OBJECT),
        Condition("477", OBJECT),
        Condition("work 47"),
    ],
)
def test_matches(condition: Condition) -> None:
    """A condition holds, and its opposite does not."""
    assert EventMatcher([condition]).matches(EVENT)
    assert not EventMatcher([msgspec.structs.replace(condition, is_excluded=True)]).matches(EVENT)


@pytest.mark.parametrize(
    "condition",
    [
        Condition("allowed"),
        Condition("denied", is_exact=True, kind=REGEX, is_excluded=True),
        Condition("Denied", is_exact=True),
        Condition("reason=denied", KEY),
        Condition("wor", OBJECT),
        Condition("work 47", OBJECT),
        Condition("work 477 v1", OBJECT),
        Condition("47", OBJECT),
        Condition("2", OBJECT),
    ],
)
def test_does_not_match(condition: Condition) -> None:
    """Parts of objects and of values of keys do not match."""
    assert not EventMatcher([condition]).matches(EVENT)


def test_all_conditions_must_hold() -> None:
    """Without conditions every event matches; of several each must hold."""
    held, failed = Condition("denied"), Condition("allowed")
    assert EventMatcher([]).matches(EVENT)
    assert EventMatcher([held, Condition("work", OBJECT)]).matches(EVENT)
    assert not EventMatcher([held, failed]).matches(EVENT)
    assert EventMatcher([held, msgspec.structs.replace(failed, is_excluded=True)]).matches(EVENT)


@pytest.mark.parametrize(
    ("condition", "text", "places"),
    [
        (Condition("denied"), "Denied, denied", [(0, 6), (8, 14)]),
        (Condition("denied", is_excluded=True), "denied", []),
        (Condition(r"\bd\w*", REGEX), "was denied", [(4, 10)]),
        (Condition("x*", REGEX), "axa", [(1, 2)]),
        (Condition("reason=*policy", KEY), "denied by policy", [(10, 16)]),
        (Condition("work 477", OBJECT), "work 477 v2", [(0, 11)]),
        (Condition("work 477", OBJECT), "other", []),
    ],
)
def test_what_is_highlighted(condition: Condition, text: str, places: list[tuple[int, int]]) -> None:
    """In a displayed text, all places of what is searched for."""
    assert EventMatcher([condition]).places(text) == places


def test_words_are_highlighted_each_once() -> None:
    """Overlapping ones as one range; a type as a whole if only its words in the window's language match."""
    matcher = EventMatcher(
        [Condition("deleted image mage", WORDS), Condition("work", WORDS, is_excluded=True)]
    )
    assert matcher.places("Deleted image 742 v2") == [(0, 7), (8, 13)]
    assert matcher.places("OBJECT_DELETE", "OBJECT_DELETE") == [(0, 13)]
    assert matcher.places("OBJECT_DELETE") == []
    assert matcher.places("OBJECT_UPDATE", "OBJECT_UPDATE") == []


def test_what_is_read() -> None:
    """Objects and short fields need no full records."""
    assert not EventMatcher([Condition("work", OBJECT), Condition("type=X", KEY)]).needs_whole
    assert EventMatcher([Condition("work", OBJECT), Condition("denied")]).needs_whole


def test_invalid() -> None:
    """An invalid expression and a key without a value are refused."""
    for condition in (Condition("(", REGEX), Condition("reason", KEY)):
        with pytest.raises(PatternError):
            EventMatcher([condition])


def test_the_same_object_is_found_by_its_unique_name() -> None:
    """Ids of objects are unique for each type only."""
    work = Event(id=1, objecttype="work", object_id=7, global_object_id="7@abc", object_version=2)
    assert object_condition(work) == Condition("work 7", OBJECT)
    assert object_condition(Event(id=1, basetype="user", object_id=7)) == Condition("user 7", OBJECT)
    assert object_condition(Event(id=1, object_id=7)) == Condition("7", OBJECT)
    unnamed = Event(id=1, object_id=7, global_object_id="7@abc")
    assert object_condition(unnamed) == Condition("global_object_id=7@abc", KEY)
    for event in (work, unnamed):
        assert EventMatcher([object_condition(event)]).matches(event)
