"""Tests of the choice of events that are shown."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.feed_filter import FeedFilter

LOGIN, INDEX, MOON = (Event(id=1, type=one) for one in ("USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"))


def shown(choice: FeedFilter) -> list[str]:
    """The types that a choice lets through."""
    return [event.type for event in (LOGIN, INDEX, MOON) if choice.predicate()(event)]


def test_types_not_met_yet_go_with_the_others() -> None:
    """Who has taken one type away wants to see the unknown, who has picked one does not."""
    assert shown(FeedFilter()) == ["USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"]
    assert shown(FeedFilter().without("OBJECT_INDEX")) == ["USER_LOGIN", "MOON_LANDING"]
    assert shown(FeedFilter().only("USER_LOGIN")) == ["USER_LOGIN"]
    assert shown(FeedFilter().only("USER_LOGIN").without("USER_LOGIN")) == []


def test_boxes_become_a_choice() -> None:
    """The same ticks mean the same for known types, whatever is wanted of the others."""
    for others in (True, False):
        choice = FeedFilter(user="x").with_types(["USER_LOGIN"], ["OBJECT_INDEX"], others=others)
        assert choice.user == "x"
        assert [choice.shows_type(one) for one in ("USER_LOGIN", "OBJECT_INDEX", "NEW")] == [
            True,
            False,
            others,
        ]


def test_a_part_of_the_name_is_enough() -> None:
    """Upper and lower case are the same, and an id stands for a user without name."""
    shows = FeedFilter(user=" WEB ").predicate()
    assert shows(Event(id=1, user_displayname="Anna Weber"))
    assert not shows(Event(id=2, user_displayname="Jonas Roth"))
    assert FeedFilter(user="#7").predicate()(Event(id=3, user_id=7))
    assert not shows(Event(id=4))


def test_a_query_of_the_browser_becomes_a_choice() -> None:
    """Types, base types and users narrow it together; what it does not name stays open."""
    assert FeedFilter.of_query((), (), ()).shows_all
    shows = FeedFilter.of_query(["OBJECT_UPDATE"], ["user"], [7]).predicate()
    right = Event(id=1, type="OBJECT_UPDATE", basetype="user", user_id=7)
    assert shows(right)
    for wrong in ({"type": "SEARCH"}, {"basetype": "pool"}, {"basetype": None}, {"user_id": 8}):
        assert not shows(msgspec.structs.replace(right, **wrong))
