"""Tests of events as text for the clipboard."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.copying import as_json, as_table

EVENT = Event(
    id=998213,
    type="OBJECT_UPDATE",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    objecttype="work",
    object_id=1042,
    object_version=3,
    user_displayname="Anna\tWeber",
    user={"_id": 7, "_generated_displayname": "Anna\tWeber"},
    session_self=True,
    info=msgspec.Raw(b'{"batch_id": 5}'),
    session_token="ac554a02-3ef0",
    unknown={"crew": ["a"]},
)


def test_one_event_is_a_record_as_the_service_writes_it() -> None:
    """Keys without a value are left out, unknown ones stay, and the session is masked (wire §3)."""
    text = as_json([EVENT])
    record = json.loads(text)
    assert "ac554a02" not in text
    assert record["event"] == {
        "_id": 998213,
        "type": "OBJECT_UPDATE",
        "timestamp": "2026-01-02T03:04:05Z",
        "objecttype": "work",
        "object_id": 1042,
        "object_version": 3,
        "session_self": True,
        "info": {"batch_id": 5},
        "crew": ["a"],
    }
    assert record["user"]["_id"] == 7


def test_several_events_are_an_array() -> None:
    """In the order of the rows."""
    assert [one["event"]["_id"] for one in json.loads(as_json([Event(id=2), Event(id=1)]))] == [2, 1]


def test_a_table_has_a_line_for_each_event() -> None:
    """Tabs separate cells only, so a sheet takes it as it is."""
    head, line = as_table([EVENT]).splitlines()
    assert head.split("\t") == ["_id", "timestamp", "type", "user", "object"]
    cells = line.split("\t")
    assert (cells[0], *cells[2:]) == ("998213", "OBJECT_UPDATE", "Anna Weber", "work 1042 v3")
