"""Tests of whole records for reading."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.record import as_tsv, details

EVENT = Event(
    id=7,
    type="API_CALL",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    pollable=False,
    info=msgspec.Raw(b'{"url": "/api?token=hush&x=1", "password": "hush", "list": [1, {"a": null}]}'),
    user_id=3,
    user_displayname="Anna",
    session_token="hush",
    unknown={"plugin": {"secret": "hush", "n": 1}},
)


def test_a_record_tells_everything_but_secrets() -> None:
    """In the shape of wire §3, with what this program does not know."""
    shown = details(EVENT, is_whole=True)
    record = msgspec.json.decode(shown.json)
    assert "hush" not in shown.json
    assert record["user"] == {"_id": 3, "_generated_displayname": "Anna"}
    assert record["_session"] == {"token": MASK}
    assert record["event"]["plugin"] == {"secret": MASK, "n": 1}
    assert shown.info == {"url": f"/api?token={MASK}&x=1", "password": MASK, "list": [1, {"a": None}]}
    assert dict(shown.fields)["_id"] == "7"
    assert dict(shown.fields)["session.token"] == MASK
    assert "info" not in dict(shown.fields)


def test_what_has_no_value_is_left_out() -> None:
    """A short record shows what it has."""
    shown = details(Event(id=1, type="SEARCH"), is_whole=False)
    assert msgspec.json.decode(shown.json) == {"event": {"_id": 1, "type": "SEARCH"}}


def test_rows_for_a_spreadsheet() -> None:
    """No cell breaks a row."""
    assert as_tsv([["1", "a\tb\r\nc"], ["2", ""]]) == "1\ta b c\n2\t"
