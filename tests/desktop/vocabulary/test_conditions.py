"""Tests of conditions on single events."""

from __future__ import annotations

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.conditions import Condition, EventMatcher
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
REGEX, KEY, OBJECT = PatternKind.REGEX, PatternKind.KEY, PatternKind.OBJECT


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


def test_all_must_hold() -> None:
    """Without conditions every event matches; of several each must hold."""
    held, failed = Condition("denied"), Condition("allowed")
    assert EventMatcher([]).matches(EVENT)
    assert EventMatcher([held, Condition("work", OBJECT)]).matches(EVENT)
    assert not EventMatcher([held, failed]).matches(EVENT)
    assert EventMatcher([held, msgspec.structs.replace(failed, is_excluded=True)]).matches(EVENT)


def test_what_is_highlighted() -> None:
    """Each condition that is not excluded has a hit with its place."""
    excluded = Condition("x", is_excluded=True)
    matcher = EventMatcher([Condition("denied"), Condition("work 477", OBJECT), excluded])
    hits = {hit.path: hit.piece[hit.first : hit.last] for hit in matcher.hits(EVENT)}
    assert hits == {"info.reason": "denied", "object": "work 477 v2"}


def test_what_is_read() -> None:
    """Objects and short fields need no full records."""
    assert not EventMatcher([Condition("work", OBJECT), Condition("type=X", KEY)]).needs_whole
    assert EventMatcher([Condition("work", OBJECT), Condition("denied")]).needs_whole


def test_invalid() -> None:
    """An invalid expression and a key without a value are refused."""
    for condition in (Condition("(", REGEX), Condition("reason", KEY)):
        with pytest.raises(PatternError):
            EventMatcher([condition])
