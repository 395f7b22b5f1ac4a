"""Tests that calls in a lost session are repeated after signing in again."""

import asyncio

import pytest

from cdb_desktop.client import Client, SessionLostError
from tests.desktop.client.canned_service import SIGNED_IN, TOKEN, Canned, CannedService

AUTHENTICATE, EVENT = "POST /api/v1/session/authenticate", "GET /api/v1/event/1"
LOST = Canned({"realm": "user", "code": "error.user.session_invalid"}, 400)
FOUND = Canned({"event": {"_id": 1, "type": "SEARCH"}})


@pytest.fixture
def renewals(client: Client) -> list[str]:
    """The tokens of the lost sessions for which the client has requested a new one."""
    tokens: list[str] = []

    async def renew() -> None:
        assert client.session is not None
        tokens.append(client.session.token)
        await client.authenticate("root", "x")

    client.renew_with(renew)
    return tokens


async def test_a_call_is_repeated_in_the_new_session(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """The caller does not notice."""
    service.prepare(EVENT, LOST, FOUND)
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    assert (await client.event(1)).id == 1
    assert renewals == [TOKEN]
    tokens = [dict(one.query).get("token") for one in service.requests if one.path.endswith("/1")]
    assert tokens == [TOKEN, "new"]


async def test_reading_the_session_is_repeated_too(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """The new token is used, not that of the lost session."""
    service.prepare("GET /api/v1/session", LOST, Canned({"authenticated": True, "current_max_event_id": 50}))
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    session = await client.read_session()
    assert (session.token, session.current_max_event_id, renewals) == ("new", 50, [TOKEN])


async def test_a_session_that_was_signed_out_elsewhere_is_lost(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """The service still has the session, but without its user."""
    service.prepare("GET /api/v1/session", Canned({"token": TOKEN}), Canned({**SIGNED_IN, "token": "new"}))
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    assert (await client.read_session()).token == "new"
    assert renewals == [TOKEN]


async def test_a_session_that_is_lost_again_at_once_is_reported(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """A call is not repeated forever with a service that keeps no sessions."""
    service.prepare(EVENT, LOST, LOST)
    with pytest.raises(SessionLostError):
        await client.event(1)
    assert len(renewals) == 1


async def test_a_late_call_uses_the_current_session(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """Its refusal concerns the previous session, so signing in is not repeated."""
    service.prepare(EVENT, Canned(LOST.body, 400, delay=0.2), FOUND)
    late = asyncio.create_task(client.event(1))
    await asyncio.sleep(0.05)
    await client.authenticate("root", "x")
    assert (await late).id == 1
    assert renewals == []


async def test_an_error_of_the_renewal_is_raised_by_the_call(client: Client, service: CannedService) -> None:
    """The user has declined to sign in."""

    async def refuse() -> None:
        raise SessionLostError("user", "error.user.not_authenticated")

    client.renew_with(refuse)
    service.prepare(EVENT, LOST)
    with pytest.raises(SessionLostError, match="not_authenticated"):
        await client.event(1)
    assert len(service.requests) == 1
