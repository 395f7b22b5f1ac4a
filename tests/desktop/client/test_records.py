"""Tests of the records themselves."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Event, Session, Unreadable


def test_event_shows_no_secret() -> None:
    """An event's repr masks its session and leaves out contents."""
    event = Event(
        id=1,
        type="API_CALL",
        info=msgspec.Raw(b'{"password": "pw-1"}'),
        session_token="tok-1",
        user={"secret": "pw-2"},
        unknown={"cookie": "pw-3"},
    )
    assert repr(event) == "Event(id=1, type='API_CALL', session_token=•••)"


def test_what_could_not_be_read_shows_no_secret() -> None:
    """Nobody knows what stands in it."""
    assert repr(Unreadable("no _id", b'{"token": "tok-1"}')) == "Unreadable('no _id')"


def test_session_shows_no_secret() -> None:
    """A session's repr masks its token."""
    shown = f"{Session(token='tok-1', method='easydb')}"
    assert "tok-1" not in shown
    assert "method='easydb'" in shown


def test_events_can_stand_in_sets() -> None:
    """Equal events count once, although they hold mappings."""
    assert len({Event(id=1, user={"a": 1}), Event(id=1, user={"a": 1}), Event(id=2)}) == 2


def test_session_answers_for_rights() -> None:
    """A session is asked for rights in the contract's spelling."""
    session = Session(token="t", system_rights={"system.datamodel": {"level": "development"}})
    assert session.allows("system.datamodel.current")
    assert not session.allows("system.datamodel.commit")


def test_info_that_python_lacks() -> None:
    """An info value that Python has no type for is handed out as text."""
    assert Event(id=1, info=msgspec.Raw(b"1e999")).info_value == "1e999"
