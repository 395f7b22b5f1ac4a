"""Tests of the exchanges that a client reports to its observer."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from cdb_desktop.client import Client, ClientError, Exchange, RequestForm
from tests.desktop.client.canned_service import PASSWORD, TOKEN, Canned, CannedService

LIST = "GET /api/v1/event/list"
CONFIG = "GET /api/v1/config/list"


@pytest.fixture
def exchanges(client: Client) -> list[Exchange]:
    """Every exchange that the client reports from now on."""
    found: list[Exchange] = []
    client.watch_with(found.append)
    return found


async def test_an_answer_is_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """The exchange has the address, parameters, status, rows, bytes and duration."""
    objects = [{"event": {"_id": number, "type": "SEARCH"}} for number in (7, 8)]
    service.prepare(LIST, Canned({"count": 2, "objects": objects}, delay=0.05))
    await client.list_events(limit=2)
    (one,) = exchanges
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


async def test_failures_are_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """Service errors, unreadable answers, missing answers and cancelled calls are reported."""
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
    assert [(one.status, one.failure) for one in exchanges] == [
        (403, "error.user.no_system_right"),
        (200, "answer"),
        (0, "cancelled"),
    ]


async def test_an_unreachable_service_is_reported() -> None:
    """The reason is reported, and the error is raised nevertheless."""
    found: list[Exchange] = []
    async with Client("http://127.0.0.1:9") as client:
        client.watch_with(found.append)
        with pytest.raises(ClientError):
            await client.settings()
    assert [(one.status, one.failure) for one in found] == [(0, "unreachable.refused")]


async def test_no_secret_is_reported(
    service: CannedService, client: Client, exchanges: list[Exchange]
) -> None:
    """Token and password are masked; the copied form of signing in has a variable in their place."""
    await client.authenticate("root", PASSWORD)
    service.prepare("DELETE /api/v1/event", Canned({"count": 2}))
    await client.delete_events([1, 2])
    spoken = (
        repr(exchanges)
        + "".join(one.text(form, client.address) for one in exchanges for form in RequestForm)
        + "".join(str(one.request.body) for one in exchanges)
    )
    assert TOKEN not in spoken
    assert "swordfish" not in spoken
    assert exchanges[0].withheld
    assert '"$BODY"' in exchanges[0].text(RequestForm.CURL, client.address)
    assert exchanges[1].request.body == b"[1,2]"


async def test_large_bodies_are_not_kept(client: Client, exchanges: list[Exchange]) -> None:
    """A schema may be a megabyte, and many are saved."""
    with suppress(ClientError):
        await client.update_schema({"tables": ["x" * 20_000]})
    assert exchanges[0].withheld
    assert exchanges[0].request.body is None
