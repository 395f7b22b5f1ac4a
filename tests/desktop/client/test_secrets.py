"""Tests that tokens and passwords are revealed nowhere."""

import logging
import traceback

import pytest

from cdb_desktop.client import Client, ClientError
from tests.desktop.client.canned_service import PASSWORD, SIGNED_IN, TOKEN, Canned, CannedService
from tests.desktop.client.raw_service import raw_service

ECHO = f'{{"token": "{TOKEN}", "address": "/event?token={TOKEN}", "login": "{PASSWORD}'.encode()


SIGN_IN = {5: "POST /api/v1/session/authenticate", 6: "POST /api/oauth2/token"}


@pytest.fixture(params=[5, 6])
def generation(request: pytest.FixtureRequest, service: CannedService) -> int:
    """Each generation, which the canned service is of."""
    found = int(request.param)
    service.reset(found)
    return found


@pytest.fixture
def whole_log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Every log record of every library at the lowest level."""
    for name in ("", "httpx", "httpcore", "cdb_desktop"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def client_log(log: pytest.LogCaptureFixture) -> str:
    """All lines but those of the canned service, which runs in this process."""
    lines = (record for record in log.records if not record.name.startswith("uvicorn"))
    return "\n".join(f"{record.name}: {record.getMessage()}" for record in lines)


def assert_clean(text: str) -> None:
    assert TOKEN not in text
    assert PASSWORD not in text
    assert "swordfish" not in text


async def test_calls_are_logged_without_secrets(
    service: CannedService, generation: int, whole_log: pytest.LogCaptureFixture
) -> None:
    """The log has method, path, harmless parameters, status and duration of a call."""
    service.prepare("GET /api/v1/event/list", Canned({"objects": []}))
    async with Client(service.url) as client:
        await client.authenticate("root", PASSWORD)
        await client.list_events(limit=5)
    last = service.requests[-1]
    assert (("token", TOKEN) in last.query) is (generation == 5)
    assert last.authorization == ("" if generation == 5 else f"Bearer {TOKEN}")
    log = client_log(whole_log)
    assert "GET /api/v1/event/list?limit=5&offset=0&format=json -> 200, " in log
    assert f"{SIGN_IN[generation]} -> 200, " in log
    assert "httpcore" in log
    assert_clean(log)


async def test_failures_are_logged_without_secrets(whole_log: pytest.LogCaptureFixture) -> None:
    """A call to an unreachable service is logged too."""
    async with raw_service([]) as service, Client(service.url) as client:
        with pytest.raises(ClientError):
            await client.settings()
    assert "GET /api/v1/settings -> RemoteProtocolError, " in whole_log.text


@pytest.mark.parametrize("status", [200, 400, 403, 404, 500])
async def test_errors_hold_no_secrets(service: CannedService, generation: int, status: int) -> None:
    """If a service sends secrets back, they are in neither the error nor its fields or traceback."""
    async with Client(service.url) as client:
        await client.start_session()
        service.prepare(SIGN_IN[generation], Canned(ECHO, status))
        with pytest.raises(ClientError) as caught:
            await client.authenticate("root", PASSWORD)
    assert_clean("".join(traceback.format_exception(caught.value)))
    assert_clean(f"{caught.value!r} {vars(caught.value)}")


async def test_lost_connections_hold_no_secrets(service: CannedService) -> None:
    """The error of the HTTP library, which contains the whole URL, is not chained."""
    async with Client(service.url, timeout=0.25) as client:
        await client.authenticate("root", PASSWORD)
        service.prepare("GET /api/v1/config/list", Canned({}, delay=1.0))
        with pytest.raises(ClientError) as caught:
            await client.config()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_password_is_sent_in_the_body(service: CannedService, generation: int) -> None:
    """URLs are logged by servers, so the password is sent as a form (wire §1)."""
    async with Client(service.url) as client:
        await client.authenticate("root", PASSWORD)
        assert_clean(f"{client!r} {client.session!r} {vars(client)}")
    (request,) = (one for one in service.requests if SIGN_IN[generation].endswith(one.path))
    assert not any("swordfish" in one.address or TOKEN in one.path for one in service.requests)
    assert request.content_type == "application/x-www-form-urlencoded"
    assert b"password=swordfish+%26+co" in request.body


async def test_credentials_in_the_url_are_not_shown(service: CannedService) -> None:
    """A URL may contain a user and password for a proxy in front of the service."""
    service.prepare("GET /api/v1/session", Canned(SIGNED_IN))
    async with Client(service.url.replace("://", "://me:swordfish@")) as client:
        await client.start_session()
        assert_clean(f"{client!r}")
