"""Tests of decoding sessions, settings and server error details."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import AnswerError, Instance, Session, User
from cdb_desktop.client.decoding import settings as service_settings
from cdb_desktop.client.generation5.calls import server_error, session
from cdb_desktop.client.request import Response
from tests.desktop.client.canned_service import SESSION, SIGNED_IN, TOKEN


def answer_of(body: object, *secrets: str) -> Response:
    return Response(200, {"content-type": "application/json"}, json.dumps(body).encode(), secrets)


def test_signed_in_session() -> None:
    """Everything that the desktop needs from a session is read, in Python's types (wire §2)."""
    more = {
        "groups": [{"_id": 2}],
        "pending_tasks": [],
        "authentication_methods": [{"method": "easydb"}, "ldap"],
    }
    found = session(answer_of({**SIGNED_IN, **more}))
    assert (found.token, found.authenticated, found.method) == (TOKEN, True, "easydb")
    assert found.authenticated_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert found.user == User(id=1, login="root", type="system", displayname="Root")
    assert found.instance == Instance(server_version="5.141.2", name="canned")
    assert (found.current_max_event_id, found.groups) == (41, ({"_id": 2},))
    assert found.authentication_methods == ("easydb", "ldap")


def test_fresh_session() -> None:
    """A session that is not signed in has no user and no rights."""
    found = session(answer_of(SESSION))
    assert (found.authenticated, found.user, found.current_max_event_id) == (False, None, None)
    assert not found.allows("system.api.event.get")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("instance", 5),
        ("authenticated", True),
        ("user", "root"),
        ("groups", {}),
        ("system_rights", None),
        ("authentication_methods", "easydb"),
        ("current_max_event_id", "many"),
        ("config", []),
        ("surprise", 1),
    ],
)
def test_invalid_parts_are_ignored(key: str, value: object) -> None:
    """A part of another shape is ignored, and the session is still read."""
    found = session(answer_of({**SIGNED_IN, key: value}))
    assert found.authenticated
    assert found.token == TOKEN


def test_rights_as_a_list_of_names() -> None:
    """A bare list of names grants these rights."""
    assert session(answer_of({"token": "t", "system_rights": ["system.root"]})).allows("system.api.event.get")


def test_flat_user() -> None:
    """A user without wrapper is the same."""
    found = session(answer_of({"token": "t", "user": {"_id": 4, "login": "ann"}}))
    assert found.user == User(id=4, login="ann")


def test_token_of_the_request_is_the_default() -> None:
    """The token of the request is used; without any token there is no session."""
    assert session(answer_of({}), "known").token == "known"
    with pytest.raises(AnswerError) as caught:
        session(answer_of({}))
    assert caught.value.place == "token"


def test_settings() -> None:
    """Settings are read in the vendor's spellings, and any may be missing (wire §6)."""
    found = service_settings(
        answer_of({"name": "cdb", "api": 1, "user-schema": 7, "db-name": "x", "server_time": "soon"})
    )
    assert (found.name, found.api, found.user_schema, found.db_name) == ("cdb", "1", 7, "x")
    assert found.server_time is None


@pytest.mark.parametrize("log", ["a token=t-1", ["a", "token=t-1"]])
def test_server_error_details(log: object) -> None:
    """Details are returned without the secrets that services log (wire §4)."""
    body = {
        "code": "error.server.generic",
        "description": "boom t-1",
        "timestamp": "2024-05-01T12:00:00Z",
        "request": {"method": "GET", "url": "/api/v1/event/1?token=other"},
        "session": "t-1",
        "log": log,
    }
    found = server_error(answer_of(body, "t-1"), "u-1")
    assert (found.uuid, found.code, found.method) == ("u-1", "error.server.generic", "GET")
    assert found.url == "/api/v1/event/1?token=•••"
    assert "t-1" not in f"{found}"


def test_server_error_details_may_be_missing() -> None:
    """An empty object is accepted."""
    assert server_error(answer_of({}), "u-1").log == ""


keys = st.sampled_from([*Session.__struct_fields__, "strange"])
values = st.none() | st.booleans() | st.integers() | st.text() | st.dictionaries(keys, st.text() | st.none())


@given(st.dictionaries(keys, values | st.lists(values, max_size=2)))
def test_any_object_with_a_token_is_a_session(body: dict[str, object]) -> None:
    """An object with a token is a session, whatever else it contains."""
    assert session(answer_of(body | {"token": "t"})).token == "t"
