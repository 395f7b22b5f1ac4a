"""Tests that tokens and passwords show up nowhere."""

from __future__ import annotations

import logging
import traceback

import pytest

from cdb_desktop.client import Client, ClientError
from tests.desktop.client.canned_service import PASSWORD, SIGNED_IN, TOKEN, Canned, CannedService
from tests.desktop.client.raw_service import raw_service

ECHO = f'{{"token": "{TOKEN}", "address": "/event?token={TOKEN}", "login": "{PASSWORD}'.encode()


@pytest.fixture
def whole_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Every log line of every library at its most talkative."""
    for name in ("", "httpx", "httpcore", "cdb_desktop"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def told_by_the_client(log: pytest.LogCaptureFixture) -> str:
    """All lines but those of the canned service, which runs in this process."""
    lines = (record for record in log.records if not record.name.startswith("uvicorn"))
    return "\n".join(f"{record.name}: {record.getMessage()}" for record in lines)


def assert_clean(text: str) -> None:
    assert TOKEN not in text
    assert PASSWORD not in text
    assert "swordfish" not in text


async def test_logs_tell_calls_without_secrets(
    service: CannedService, whole_log: pytest.LogCaptureFixture
) -> None:
    """The log tells method, path, harmless parameters, status and time of a call, and no secret."""
    service.prepare("GET /api/v1/event/list", Canned({"objects": []}))
    async with Client(service.url) as client:
        await client.authenticate("root", PASSWORD)
        await client.list_events(limit=5)
    assert ("token", TOKEN) in service.asked[-1].query
    log = told_by_the_client(whole_log)
    assert "GET /api/v1/event/list?limit=5&offset=0&format=json -> 200, " in log
    assert "POST /api/v1/session/authenticate -> 200, " in log
    assert "httpcore" in log
    assert_clean(log)


async def test_failures_are_logged_without_secrets(whole_log: pytest.LogCaptureFixture) -> None:
    """A call that found nobody is logged too."""
    async with raw_service([]) as service, Client(service.url) as client:
        with pytest.raises(ClientError):
            await client.settings()
    assert "GET /api/v1/settings -> RemoteProtocolError, " in whole_log.text


@pytest.mark.parametrize("status", [200, 400, 403, 404, 500])
async def test_errors_hold_no_secrets(service: CannedService, status: int) -> None:
    """A service that sends secrets back cannot bring them into an error, its fields or its traceback."""
    async with Client(service.url) as client:
        await client.start_session()
        service.prepare("POST /api/v1/session/authenticate", Canned(ECHO, status))
        with pytest.raises(ClientError) as caught:
            await client.authenticate("root", PASSWORD)
    assert_clean("".join(traceback.format_exception(caught.value)))
    assert_clean(f"{caught.value!r} {vars(caught.value)}")


async def test_lost_connections_hold_no_secrets(service: CannedService) -> None:
    """The error of the HTTP library, which holds the whole address, is not dragged along."""
    async with Client(service.url, timeout=0.25) as client:
        await client.authenticate("root", PASSWORD)
        service.prepare("GET /api/v1/config/list", Canned({}, delay=1.0))
        with pytest.raises(ClientError) as caught:
            await client.config()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_password_travels_in_the_body(service: CannedService) -> None:
    """Addresses end up in logs, so that the password is sent as a form (wire §1)."""
    async with Client(service.url) as client:
        await client.authenticate("root", PASSWORD)
        assert_clean(f"{client!r} {client.session!r} {vars(client)}")
    asked = service.asked[-1]
    assert "swordfish" not in asked.address
    assert asked.content_type == "application/x-www-form-urlencoded"
    assert asked.body == b"method=easydb&login=root&password=swordfish+%26+co"


async def test_credentials_in_the_address_are_not_shown(service: CannedService) -> None:
    """An address may hold a user and password for a proxy in front of the service."""
    service.prepare("GET /api/v1/session", Canned(SIGNED_IN))
    async with Client(service.url.replace("://", "://me:swordfish@")) as client:
        await client.start_session()
        assert_clean(f"{client!r}")
