"""Tests of what a client tells whoever watches it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from cdb_desktop.client import Client, ClientError, Exchange, RequestForm
from tests.desktop.client.canned_service import PASSWORD, TOKEN, Canned, CannedService

LIST = "GET /api/v1/event/list"
CONFIG = "GET /api/v1/config/list"


@pytest.fixture
def told(client: Client) -> list[Exchange]:
    """Everything that the client tells from now on."""
    found: list[Exchange] = []
    client.watch_with(found.append)
    return found


async def test_an_answer_is_told(service: CannedService, client: Client, told: list[Exchange]) -> None:
    """Address, parameters, status, rows, bytes and how long it took."""
    objects = [{"event": {"_id": number, "type": "SEARCH"}} for number in (7, 8)]
    service.prepare(LIST, Canned({"count": 2, "objects": objects}, delay=0.05))
    await client.list_events(limit=2)
    (one,) = told
    assert (one.method, one.path, one.status, one.rows, one.failure) == (
        "GET",
        "/api/v1/event/list",
        200,
        2,
        "",
    )
    assert ("limit", "2") in one.parameters
    assert one.size > 60
    assert one.seconds >= 0.05


async def test_failures_are_told(service: CannedService, client: Client, told: list[Exchange]) -> None:
    """The service's code, an answer that cannot be read, no answer, and a call that was given up."""
    refused = {"realm": "user", "code": "error.user.no_system_right", "parameters": {"right": "r"}}
    service.prepare(CONFIG, Canned(refused, 403), Canned(b"<html>", content_type="text/html"))
    for _ in range(2):
        with suppress(ClientError):
            await client.config()
    service.prepare(CONFIG, Canned({}, delay=5.0))
    asking = asyncio.ensure_future(client.config())
    await asyncio.sleep(0.1)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert [(one.status, one.failure) for one in told] == [
        (403, "error.user.no_system_right"),
        (200, "answer"),
        (0, "cancelled"),
    ]


async def test_nobody_answers() -> None:
    """Why is told, and still raised."""
    found: list[Exchange] = []
    async with Client("http://127.0.0.1:9") as client:
        client.watch_with(found.append)
        with pytest.raises(ClientError):
            await client.settings()
    assert [(one.status, one.failure) for one in found] == [(0, "unreachable.refused")]


async def test_no_secret_is_told(service: CannedService, client: Client, told: list[Exchange]) -> None:
    """Neither the token nor the password that signs in; a copy of that has a variable in its place."""
    await client.authenticate("root", PASSWORD)
    service.prepare("DELETE /api/v1/event", Canned({"count": 2}))
    await client.delete_events([1, 2])
    spoken = (
        repr(told)
        + "".join(one.text(form, client.address) for one in told for form in RequestForm)
        + "".join(str(one.request.body) for one in told)
    )
    assert TOKEN not in spoken
    assert "swordfish" not in spoken
    assert told[0].withheld
    assert '"$BODY"' in told[0].text(RequestForm.CURL, client.address)
    assert told[1].request.body == b"[1,2]"


async def test_large_bodies_are_not_kept(client: Client, told: list[Exchange]) -> None:
    """A schema may be a megabyte, and many are saved."""
    with suppress(ClientError):
        await client.update_schema({"tables": ["x" * 20_000]})
    assert told[0].withheld
    assert told[0].request.body is None
