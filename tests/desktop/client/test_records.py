"""Tests of the client's records, the rights of a session and the capabilities of a service."""

from collections.abc import Mapping

import msgspec
import pytest

from cdb_desktop.client import Capabilities, Event, Session, Unreadable, has_right
from cdb_desktop.client.generation5.calls import Generation5


def test_event_reveals_no_secret() -> None:
    """An event's repr masks its session and omits its contents."""
    event = Event(
        id=1,
        type="API_CALL",
        info=msgspec.Raw(b'{"password": "pw-1"}'),
        session_token="tok-1",
        user={"secret": "pw-2"},
        unknown={"cookie": "pw-3"},
    )
    assert repr(event) == "Event(id=1, type='API_CALL', session_token=•••)"


def test_unreadable_record_reveals_no_secret() -> None:
    """Its content is unknown, so its repr omits it."""
    assert repr(Unreadable("no_id", b'{"token": "tok-1"}')) == "Unreadable('no_id')"


def test_session_reveals_no_secret() -> None:
    """A session's repr masks its token."""
    shown = f"{Session(token='tok-1', method='easydb')}"
    assert "tok-1" not in shown
    assert "method='easydb'" in shown


def test_events_are_hashable() -> None:
    """Equal events are one member of a set, although they contain mappings."""
    assert len({Event(id=1, user={"a": 1}), Event(id=1, user={"a": 1}), Event(id=2)}) == 2


def test_session_has_rights() -> None:
    """Rights are given in the contract's spelling."""
    session = Session(token="t", system_rights={"system.datamodel": {"level": "development"}})
    assert session.allows("system.datamodel.current")
    assert not session.allows("system.datamodel.commit")


def test_info_without_a_python_type() -> None:
    """An info value that Python has no type for is returned as a string."""
    assert Event(id=1, info=msgspec.Raw(b"1e999")).info_value == "1e999"


@pytest.mark.parametrize(
    ("version", "capabilities"),
    [
        ("5.140.0", Capabilities(full_list=True, skip_count=True)),
        ("v5.139-rc2", Capabilities(full_list=False, skip_count=True)),
        ("5.138.99", Capabilities(full_list=False, skip_count=False)),
        ("4.999", Capabilities(full_list=False, skip_count=False)),
        ("6.0", Capabilities(full_list=True, skip_count=True)),
        ("", Capabilities(full_list=True, skip_count=True)),
        ("nightly", Capabilities(full_list=True, skip_count=True)),
    ],
)
def test_capabilities(version: str, capabilities: Capabilities) -> None:
    """json_full is available since 5.140, skip_count since 5.139, everything for unknown versions (§9)."""
    assert Generation5().capabilities(version, "") == capabilities


def test_the_reference_server_checks_with_re2() -> None:
    """Other services are only known to require that a pattern compiles (wire §5)."""
    assert Generation5().capabilities("5.140.0", "reference").re2_only
    assert Generation5().capabilities("", "reference").re2_only
    assert not Generation5().capabilities("5.140.0", "museum").re2_only


def test_the_reference_server_guards_csv() -> None:
    """Other services refuse the parameter (wire §1)."""
    assert Generation5().capabilities("5.140.0", "reference").guards_csv
    assert not Generation5().capabilities("5.140.0", "museum").guards_csv
    assert not Generation5().capabilities("", "").guards_csv


DATAMODEL = "system.datamodel."


@pytest.mark.parametrize(
    ("granted", "right", "held"),
    [
        ({}, "system.api.event.get", False),
        ({"system.api.event.get": {}}, "system.api.event.get", True),
        ({"system.api.event.get": {}}, "system.api.event.delete", False),
        ({"system.api.event.get": None}, "system.api.event.get", False),
        ({"system.api.event.get": False}, "system.api.event.get", False),
        ({"system.root": {}}, "system.api.event.delete", True),
        ({"system.root": {}}, DATAMODEL + "commit", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "development", True),
        ({"system.datamodel": {"level": "commit"}}, DATAMODEL + "commit", True),
        ({"system.datamodel": {"level": "development"}}, DATAMODEL + "commit", False),
        ({"system.datamodel": {"level": "development"}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": ["current"]}}, DATAMODEL + "current", True),
        ({"system.datamodel": {"level": "current"}}, DATAMODEL + "development", False),
        ({"system.datamodel": {}}, DATAMODEL + "current", False),
        ({"system.datamodel.commit": {}}, DATAMODEL + "development", True),
        ({"system.datamodel.current": {}}, DATAMODEL + "development", False),
        ({"system.api.event": {"level": "get"}}, "system.api.event.get", True),
        ({"system.api.event": {"get": True}}, "system.api.event.get", True),
        ({"system.api.event": {"get": True, "delete": False}}, "system.api.event.delete", False),
    ],
)
def test_has_right(granted: Mapping[str, object], right: str, held: bool) -> None:
    """Root, the dotted name, or the base name with a level; commit > development > current (wire §2)."""
    assert has_right(granted, right) is held
