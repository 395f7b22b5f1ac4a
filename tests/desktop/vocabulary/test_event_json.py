"""Tests of events as JSON records."""

import json
from datetime import UTC, datetime

import msgspec

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.client.redaction import MASK
from cdb_desktop.vocabulary.event_json import json_line, masked, records_json, unreadable_json

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
    """Keys without a value are left out, unknown ones stay, and session tokens are masked (wire §3)."""
    text = records_json([EVENT])
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
    """The array has the order of the rows."""
    assert [one["event"]["_id"] for one in json.loads(records_json([Event(id=2), Event(id=1)]))] == [2, 1]


def test_a_line_is_a_record() -> None:
    """It is the same record, with one line end."""
    line = json_line(EVENT)
    assert json.loads(line) == json.loads(records_json([EVENT]))
    assert line.count(b"\n") == 1


def test_masking_keeps_shape_and_numbers() -> None:
    """Only strings can contain a secret."""
    assert masked({"token_count": 3, "token": ""}) == {"token_count": 3, "token": ""}


def test_an_unreadable_record_is_written_unchanged() -> None:
    """All digits and keys stay, also repeated keys; only secrets are masked."""
    raw = (
        b'{"_id": 1e30, "big": 99999999999999999999999, "a": 1, "a": "x: \\"y\\"",\n'
        b' "tok\\u0065n" : "tok-1", "list": ["token", "https://x/?token=tok-2&b=1"],'
        b' "password": "", "secret": 5}'
    )
    found = bytes(unreadable_json(Unreadable("no_id", raw)))
    assert b"tok-1" not in found
    assert b"tok-2" not in found
    replaced = found.replace("•••".encode(), b"?")
    assert replaced == (
        b'{"_id": 1e30, "big": 99999999999999999999999, "a": 1, "a": "x: \\"y\\"",\n'
        b' "tok\\u0065n" : "?", "list": ["token", "https://x/?token=?&b=1"], "password": "", "secret": 5}'
    )


def test_a_line_has_no_line_ends() -> None:
    """Backups and exports have a record a line."""
    assert json_line(Unreadable("no_id", b'{\n "a": [1,\n 2]\n}')) == b'{"a":[1,2]}\n'
    assert json_line(Unreadable("not_object", b"null")) == b"null\n"
    both = records_json([Event(id=1), Unreadable("not_object", b"[10000000000000000000000]")])
    assert msgspec.json.decode(both) == [{"event": {"_id": 1}}, [10**22]]
