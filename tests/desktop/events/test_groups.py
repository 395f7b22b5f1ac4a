"""Tests of the names of groups, as sessions and records tell them."""

from __future__ import annotations

from cdb_desktop.client import Event, Session, User
from cdb_desktop.events.groups import group_names
from cdb_desktop.events.seen import Seen


def test_groups_are_named_in_every_shape() -> None:
    """Wrapped or flat, in one language or several; what is no group is left out."""
    told = [
        {"_basetype": "group", "group": {"_id": 2, "name": "editors", "displayname": "Editors"}},
        {"_id": 3, "name": "night", "displayname": {"de-DE": "", "en-US": "Night watch"}},
        {"group": {"_id": 4}},
        {"group": "5"},
        "6",
    ]
    assert group_names(told) == {2: "Editors", 3: "Night watch", 4: ""}
    assert group_names(None) == {}
    assert group_names(7) == {}


def test_a_session_and_records_make_groups_known() -> None:
    """A name is not lost when something tells the number alone; groups without one come last."""
    seen = Seen()
    seen.meet(
        Session(
            token="t", user=User(id=9, displayname="Ina"), groups=({"group": {"_id": 2, "name": "editors"}},)
        )
    )
    seen.add(
        [
            Event(id=1, type="OBJECT_UPDATE", basetype="group", object_id=1),
            Event(id=2, type="OBJECT_UPDATE", basetype="group", object_id=2),
            Event(id=3, type="SEARCH", user={"_id": 4, "_groups": [{"_id": 5, "name": "Archive"}]}),
        ]
    )
    assert seen.groups == [(5, "Archive"), (2, "editors"), (1, "#1")]
    assert (seen.group_name(2), seen.group_name(77)) == ("editors", "#77")
    assert seen.name(9) == "Ina"
