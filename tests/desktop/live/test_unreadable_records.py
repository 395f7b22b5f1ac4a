"""Tests of the collection of unreadable records."""

from __future__ import annotations

import json

from cdb_desktop.client import Unreadable
from cdb_desktop.live.log_follower import UnreadableRecords


def test_each_is_counted_once() -> None:
    """A poll brings it again until something newer has come."""
    records, one, other = (
        UnreadableRecords(),
        Unreadable("no_id", b'{"a":1}'),
        Unreadable("not_object", b"7"),
    )
    assert records.add([one, one]) == 1
    assert records.add([one, other]) == 1
    assert records.number == 2
    assert records.texts == ("7", '{\n  "a": 1\n}')


def test_texts_have_no_secrets_and_a_limit() -> None:
    """Long records are cut, and old ones forgotten."""
    records = UnreadableRecords()
    large = {"_session": {"token": "tok-1"}, "big": 2**70, "text": "x" * 9000}
    records.add([Unreadable("no_id", json.dumps(large).encode())])
    assert "tok-1" not in records.texts[0]
    assert len(records.texts[0]) <= 2000
    for number in range(3):
        texts = (str(number * 1000 + place).encode() for place in range(1000))
        records.add(Unreadable("not_object", text) for text in texts)
    assert (records.number, len(records.texts), len(records._texts)) == (3001, 50, 1000)
