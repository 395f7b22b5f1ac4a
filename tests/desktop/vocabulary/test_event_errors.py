"""Tests of errors that are found in events."""

from __future__ import annotations

import json

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_errors import explained_error

FORBIDDEN = {"realm": "User", "code": "error.user.event_not_found", "statuscode": 404, "uuid": "u-1"}


def event(info: object) -> Event:
    """An event with this info."""
    return Event(id=1, type="API_CALL", info=msgspec.Raw(msgspec.json.encode(info)))


@pytest.mark.parametrize(
    "info",
    [
        FORBIDDEN,
        {"response": {"status": 404, "error": FORBIDDEN}},
        {"steps": [{"done": True}, {"error": FORBIDDEN}]},
        {"response": json.dumps(FORBIDDEN)},
        {"message": "call failed: error.user.event_not_found (404)"},
    ],
)
def test_an_error_is_found_wherever_it_is(info: object) -> None:
    """As an object, as JSON in a text, or as a code in a sentence."""
    found = explained_error(event(info))
    assert found is not None
    assert found.code == "error.user.event_not_found"
    assert found.title
    assert found.remedy


def test_events_without_a_known_code_have_no_error() -> None:
    """Their summary says why something has failed."""
    codes = ({"code": "ABC"}, {"error": "denied"}, {"message": "error.unheard.of"})
    nothing: list[object] = [{}, [], None, "error", *codes]
    for info in nothing:
        assert explained_error(event(info)) is None
    assert explained_error(Event(id=1, type="API_CALL")) is None


def test_unusual_info_is_read_as_far_as_possible() -> None:
    """Deep, long and broken info neither fails nor takes long."""
    deep = b'{"a":' * 3000 + b"1" + b"}" * 3000
    long = json.dumps([{"a": [1] * 400}] * 400).encode()
    for info in (deep, long, b"{broken", b'{"code": 7}', b'"' + b"{" * 30_000 + b'error}"'):
        assert explained_error(Event(id=1, type="API_CALL", info=msgspec.Raw(info))) is None
