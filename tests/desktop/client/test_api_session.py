"""Tests of the client's session: starting, reading, losing and ending it."""

import pytest

from cdb_desktop.client import Client, LoginRefusedError
from tests.desktop.client.canned_service import SESSION, SIGNED_IN, TOKEN, Canned, CannedService

AUTHENTICATE = "POST /api/v1/session/authenticate"


async def test_authenticate_starts_a_session(service: CannedService) -> None:
    """Signing in without a session starts one first, without a token (wire §2)."""
    async with Client(service.url) as client:
        session = await client.authenticate("root", "x")
    assert (session.authenticated, session.current_max_event_id) == (True, 41)
    assert client.session == session
    paths = [one.path.removeprefix("/api/v1/") for one in service.requests]
    assert paths == ["settings", "session", "session/authenticate"]
    assert [dict(one.query).get("token") for one in service.requests] == [None, None, TOKEN]


async def test_reading_without_a_session_starts_one(service: CannedService) -> None:
    """After reading the session there always is one."""
    async with Client(service.url) as client:
        assert (await client.read_session()).token == TOKEN


async def test_reading_keeps_the_token(client: Client, service: CannedService) -> None:
    """An answer without a token does not end the session."""
    service.prepare(
        "GET /api/v1/session", Canned({"authenticated": {"method": "easydb"}, "current_max_event_id": 50})
    )
    session = await client.read_session()
    assert (session.token, session.current_max_event_id) == (TOKEN, 50)


async def test_lost_session_is_replaced_when_signing_in(client: Client, service: CannedService) -> None:
    """After a session has expired, signing in starts a new one (wire §2)."""
    lost = Canned({"realm": "user", "code": "error.user.session_invalid"}, 400)
    service.prepare(AUTHENTICATE, lost, Canned({**SIGNED_IN, "token": "new"}))
    service.prepare("GET /api/v1/session", Canned({"token": "fresh"}))
    assert (await client.authenticate("root", "x")).token == "new"
    assert [dict(one.query).get("token") for one in service.requests] == [TOKEN, None, "fresh"]


async def test_refused_login_keeps_the_session(client: Client, service: CannedService) -> None:
    """Wrong credentials are sent once, and the session is unchanged."""
    service.prepare(AUTHENTICATE, Canned({"realm": "user", "code": "error.user.login_failed"}, 400))
    before = client.session
    with pytest.raises(LoginRefusedError):
        await client.authenticate("root", "wrong")
    assert client.session == before
    assert len(service.requests) == 1


async def test_deauthenticate(client: Client, service: CannedService) -> None:
    """Signing out leaves a session without a user."""
    service.prepare("POST /api/v1/session/deauthenticate", Canned(SESSION))
    session = await client.deauthenticate()
    assert (session.authenticated, session.user, client.session) == (False, None, session)


async def test_other_methods_of_signing_in(client: Client, service: CannedService) -> None:
    """The given method is sent."""
    await client.authenticate("ann", "x", "ldap")
    assert service.requests[-1].body == b"method=ldap&login=ann&password=x"
