"""Tests that calls which find the session lost are repeated once somebody has signed in again."""

from __future__ import annotations

import asyncio

import pytest

from cdb_desktop.client import Client, SessionLostError
from tests.desktop.client.canned_service import SIGNED_IN, TOKEN, Canned, CannedService

AUTHENTICATE, EVENT = "POST /api/v1/session/authenticate", "GET /api/v1/event/1"
LOST = Canned({"realm": "user", "code": "error.user.session_invalid"}, 400)
FOUND = Canned({"event": {"_id": 1, "type": "SEARCH"}})


@pytest.fixture
def renewals(client: Client) -> list[str]:
    """The tokens with which the client has asked for another session, which it is given."""
    asked: list[str] = []

    async def renew() -> None:
        assert client.session is not None
        asked.append(client.session.token)
        await client.authenticate("root", "x")

    client.renew_with(renew)
    return asked


async def test_a_call_is_repeated_in_the_new_session(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """Whoever has called learns nothing of it."""
    service.prepare(EVENT, LOST, FOUND)
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    assert (await client.event(1)).id == 1
    assert renewals == [TOKEN]
    tokens = [dict(one.query).get("token") for one in service.asked if one.path.endswith("/1")]
    assert tokens == [TOKEN, "new"]


async def test_reading_the_session_is_repeated_too(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """With the new token, not with the one that was lost."""
    service.prepare("GET /api/v1/session", LOST, Canned({"authenticated": True, "current_max_event_id": 50}))
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    session = await client.read_session()
    assert (session.token, session.current_max_event_id, renewals) == ("new", 50, [TOKEN])


async def test_a_session_that_was_signed_out_elsewhere_is_lost(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """The service still knows it, but not whose it is."""
    service.prepare("GET /api/v1/session", Canned({"token": TOKEN}), Canned({**SIGNED_IN, "token": "new"}))
    service.prepare(AUTHENTICATE, Canned({**SIGNED_IN, "token": "new"}))
    assert (await client.read_session()).token == "new"
    assert renewals == [TOKEN]


async def test_a_session_that_is_lost_again_at_once_is_told(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """A service that keeps no sessions is not asked for ever."""
    service.prepare(EVENT, LOST, LOST)
    with pytest.raises(SessionLostError):
        await client.event(1)
    assert len(renewals) == 1


async def test_a_call_that_comes_late_takes_the_session_that_is_there(
    client: Client, service: CannedService, renewals: list[str]
) -> None:
    """Its refusal is about the session of before; nobody signs in once more."""
    service.prepare(EVENT, Canned(LOST.body, 400, delay=0.2), FOUND)
    late = asyncio.create_task(client.event(1))
    await asyncio.sleep(0.05)
    await client.authenticate("root", "x")
    assert (await late).id == 1
    assert renewals == []


async def test_what_the_renewal_raises_the_call_raises(client: Client, service: CannedService) -> None:
    """Somebody would rather not sign in."""

    async def refuse() -> None:
        raise SessionLostError("user", "error.user.not_authenticated")

    client.renew_with(refuse)
    service.prepare(EVENT, LOST)
    with pytest.raises(SessionLostError, match="not_authenticated"):
        await client.event(1)
    assert len(service.asked) == 1
