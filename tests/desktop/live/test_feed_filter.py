"""Tests of the filter of a feed."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.feed_filter import FeedFilter

LOGIN, INDEX, MOON = (Event(id=1, type=one) for one in ("USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"))


def shown(chosen: FeedFilter) -> list[str]:
    """The types that a filter shows."""
    return [event.type for event in (LOGIN, INDEX, MOON) if chosen.predicate()(event)]


def test_new_types_are_shown_unless_types_were_chosen() -> None:
    assert shown(FeedFilter()) == ["USER_LOGIN", "OBJECT_INDEX", "MOON_LANDING"]
    assert shown(FeedFilter().without("OBJECT_INDEX")) == ["USER_LOGIN", "MOON_LANDING"]
    assert shown(FeedFilter().only("USER_LOGIN")) == ["USER_LOGIN"]
    assert shown(FeedFilter().only("USER_LOGIN").without("USER_LOGIN")) == []


def test_check_boxes_become_a_filter() -> None:
    """The same boxes mean the same for known types, whether new types are shown or not."""
    for others in (True, False):
        chosen = FeedFilter(user="x").with_types(["USER_LOGIN"], ["OBJECT_INDEX"], others=others)
        assert chosen.user == "x"
        assert [chosen.shows_type(one) for one in ("USER_LOGIN", "OBJECT_INDEX", "NEW")] == [
            True,
            False,
            others,
        ]


def test_a_part_of_the_name_is_enough() -> None:
    """Case does not matter, and an id stands for a user without a name."""
    shows = FeedFilter(user=" WEB ").predicate()
    assert shows(Event(id=1, user_displayname="Anna Weber"))
    assert not shows(Event(id=2, user_displayname="Jonas Roth"))
    assert FeedFilter(user="#7").predicate()(Event(id=3, user_id=7))
    assert not shows(Event(id=4))


def test_a_query_of_the_browser_becomes_a_filter() -> None:
    """Types, base types and users narrow it together; nothing means all."""
    assert FeedFilter.of_query((), (), ()).shows_all
    shows = FeedFilter.of_query(["OBJECT_UPDATE"], ["user"], [7]).predicate()
    right = Event(id=1, type="OBJECT_UPDATE", basetype="user", user_id=7)
    assert shows(right)
    for wrong in ({"type": "SEARCH"}, {"basetype": "pool"}, {"basetype": None}, {"user_id": 8}):
        assert not shows(msgspec.structs.replace(right, **wrong))
