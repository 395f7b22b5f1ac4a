"""Tests of readable references to objects and users."""

from __future__ import annotations

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import committed_version, object_text, user_text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Event(id=1, objecttype="work", object_id=1042, object_version=3), "work 1042 v3"),
        (Event(id=1, basetype="user", object_id=0), "user 0"),
        (Event(id=1, objecttype="work"), "work"),
        (Event(id=1), ""),
    ],
)
def test_an_object_is_named_by_its_known_parts(event: Event, text: str) -> None:
    """Type, id and version are in this order, and missing parts leave no gap."""
    assert object_text(event) == text


def test_a_user_has_a_name_or_a_number() -> None:
    """The name is preferred to the id, and the system has no user."""
    assert user_text(Event(id=1, user_id=7, user_displayname="Anna Weber")) == "Anna Weber"
    assert user_text(Event(id=1, user_id=7)) == "#7"
    assert user_text(Event(id=1)) == ""


@pytest.mark.parametrize(
    ("info", "version"),
    [
        (b'{"schema":3}', 3),
        (b'{"schema":"3"}', None),
        (b'{"schema":0}', None),
        (b'{"schema":true}', None),
        (b"[3]", None),
        (None, None),
    ],
)
def test_a_commit_has_its_version_if_it_is_readable(info: bytes | None, version: int | None) -> None:
    """Rows have no info, and another service may use another form (wire §3)."""
    raw = None if info is None else msgspec.Raw(info)
    assert committed_version(Event(id=1, type="SCHEMA_COMMIT", info=raw)) == version
    assert committed_version(Event(id=1, type="MAPPING_UPDATE", info=raw)) is None
