"""Tests of what is kept of records that are no events."""

from __future__ import annotations

import json

from cdb_desktop.client import Unreadable
from cdb_desktop.live.rejects import Rejects


def test_each_is_counted_once() -> None:
    """A poll brings it again until something newer has come."""
    rejects, one, other = Rejects(), Unreadable("no_id", b'{"a":1}'), Unreadable("not_object", b"7")
    assert rejects.take([one, one]) == 1
    assert rejects.take([one, other]) == 1
    assert rejects.number == 2
    assert rejects.texts == ("7", '{\n  "a": 1\n}')


def test_nothing_in_it_signs_in_or_fills_the_memory() -> None:
    """Tokens are masked, and long records are cut, and old ones forgotten."""
    rejects = Rejects()
    large = {"_session": {"token": "tok-1"}, "big": 2**70, "text": "x" * 9000}
    rejects.take([Unreadable("no_id", json.dumps(large).encode())])
    assert "tok-1" not in rejects.texts[0]
    assert len(rejects.texts[0]) <= 2000
    for number in range(3):
        texts = (str(number * 1000 + place).encode() for place in range(1000))
        rejects.take(Unreadable("not_object", text) for text in texts)
    assert (rejects.number, len(rejects.texts), len(rejects._texts)) == (3001, 50, 1000)
