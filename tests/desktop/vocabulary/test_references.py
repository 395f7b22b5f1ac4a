"""Tests of readable references to objects and users."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.references import object_of, user_of


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event(id=1, objecttype="work", object_id=1042, object_version=3), "work 1042 v3"),
        (Event(id=1, basetype="user", object_id=0), "user 0"),
        (Event(id=1, objecttype="work"), "work"),
        (Event(id=1), ""),
    ],
)
def test_an_object_is_named_as_far_as_it_is_known(event: Event, text: str) -> None:
    """Type, id and version stand in this order, and what is missing leaves no gap."""
    assert object_of(event) == text


def test_a_user_is_named_or_numbered() -> None:
    """The name is best, the id is better than nothing, and the system has no user."""
    assert user_of(Event(id=1, user_id=7, user_displayname="Anna Weber")) == "Anna Weber"
    assert user_of(Event(id=1, user_id=7)) == "#7"
    assert user_of(Event(id=1)) == ""
