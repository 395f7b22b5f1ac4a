"""Tests of numbers of values among records."""

from __future__ import annotations

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.events.query import Part
from cdb_desktop.events.tally import Tally


def test_values_are_counted_and_what_has_none_is_told() -> None:
    """A record that cannot be read has none that anybody knows."""
    tally = Tally()
    tally.add([Event(id=1, type="SEARCH", user_id=7), Event(id=2, type="SEARCH", basetype="pool")])
    tally.add([Event(id=3, type="USER_LOGIN", user_id=0), Unreadable("not_object")])
    assert tally.numbers(Part.TYPE) == {"SEARCH": 2, "USER_LOGIN": 1}
    assert tally.numbers(Part.USER) == {"7": 1, "0": 1}
    assert tally.read == 4
    assert [tally.without(part) for part in (Part.TYPE, Part.BASE_TYPE, Part.USER)] == [1, 3, 2]
