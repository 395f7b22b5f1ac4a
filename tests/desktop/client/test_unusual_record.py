"""Tests of records that hold more, less or other things than is known."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.client.unusual_record import unusual_record


def read(record: object) -> Event:
    found = unusual_record(msgspec.Raw(json.dumps(record).encode()))
    assert isinstance(found, Event)
    return found


def test_unknown_keys_are_kept() -> None:
    """New keys of the record, its event and its session are handed on beside the known ones."""
    record = {
        "event": {"_id": 1, "type": "PLUGIN_THING", "weight": [1], "unknown": 2},
        "user": {"_id": 3, "email": "a@b"},
        "_session": {"token": "t", "device": "x"},
        "note": {"a": 1},
    }
    found = read(record)
    assert (found.id, found.type, found.session_token, found.user_id) == (1, "PLUGIN_THING", "t", 3)
    assert found.user == {"_id": 3, "email": "a@b"}
    assert found.unknown == {"weight": [1], "unknown": 2, "_session.device": "x", "note": {"a": 1}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timestamp", "yesterday"),
        ("object_id", "one"),
        ("pollable", "perhaps"),
        ("schema", ["USER"]),
    ],
)
def test_values_of_another_type_are_kept(key: str, value: object) -> None:
    """A value that does not fit its key is not lost, and does not cost the record."""
    found = read({"event": {"_id": 1, key: value}})
    assert getattr(found, key) is None
    assert found.unknown == {key: value}


def test_values_that_can_be_read_are_read() -> None:
    """Numbers as texts, texts as numbers and times without offset are understood; null is missing."""
    found = read(
        {
            "event": {
                "_id": "12",
                "type": 7,
                "object_id": "3",
                "schema": None,
                "timestamp": "2024-05-01T12:00:00",
            }
        }
    )
    assert found == Event(id=12, type="7", object_id=3, timestamp=datetime(2024, 5, 1, 12, tzinfo=UTC))


def test_flat_record() -> None:
    """A record without wrapper, in the spelling of the contract's table (§2.1), is the same."""
    found = read(
        {
            "_id": 4,
            "type": "SEARCH",
            "base_type": "user",
            "user_generated_displayname": "Ann",
            "info": {"a": 1},
        }
    )
    assert (found.id, found.basetype, found.user_displayname) == (4, "user", "Ann")
    assert found.info_value == {"a": 1}
    assert found.unknown == {}


@pytest.mark.parametrize(("key", "value"), [("user", "root"), ("_session", [1])])
def test_parts_that_are_no_objects(key: str, value: object) -> None:
    """A user or session of another shape is kept as it came."""
    assert read({"event": {"_id": 1}, key: value}).unknown == {key: value}
