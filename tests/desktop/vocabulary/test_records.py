"""Tests of events as JSON records."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.vocabulary.records import as_json, as_line, masked

EVENT = Event(
    id=998213,
    type="OBJECT_UPDATE",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    objecttype="work",
    object_id=1042,
    object_version=3,
    user={"_id": 7, "_generated_displayname": "Anna\tWeber"},
    session_self=True,
    info=msgspec.Raw(b'{"batch_id": 5, "url": "/api?token=ac554a02-3ef0"}'),
    session_token="ac554a02-3ef0",
    unknown={"crew": ["a"], "plugin": {"secret": "ac554a02-3ef0"}},
)


def test_one_event_is_a_record_as_the_service_writes_it() -> None:
    """Keys without a value are left out, unknown ones stay, and nothing in it signs in (wire §3)."""
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
        "info": {"batch_id": 5, "url": f"/api?token={MASK}"},
        "crew": ["a"],
        "plugin": {"secret": MASK},
    }
    assert record["user"]["_id"] == 7
    assert record["_session"] == {"token": MASK}


def test_several_events_are_an_array() -> None:
    """In the order of the rows."""
    assert [one["event"]["_id"] for one in json.loads(as_json([Event(id=2), Event(id=1)]))] == [2, 1]


def test_a_line_is_a_record() -> None:
    """The same one, with one end."""
    line = as_line(EVENT)
    assert json.loads(line) == json.loads(as_json([EVENT]))
    assert line.count(b"\n") == 1


def test_masking_keeps_shape_and_numbers() -> None:
    """Only texts can hold a secret."""
    assert masked({"token_count": 3, "token": ""}) == {"token_count": 3, "token": ""}
