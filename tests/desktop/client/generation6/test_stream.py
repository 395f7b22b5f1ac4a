"""The stream takes the way of the calls, with the token in its header only, or says why it does not open."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from ssl import SSLContext

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from cdb_desktop.client import ClientCertificate, ClientError, NetworkOptions, ProxyLogin
from cdb_desktop.client.errors import (
    CertificateError,
    ClientCertificateError,
    SessionLostError,
    StreamRefusedError,
    UnreachableError,
)
from cdb_desktop.client.generation6.calls import Generation6
from cdb_desktop.client.generation6.stream import EventStream, open_stream
from cdb_desktop.client.responses import failure
from cdb_desktop.client.transport import Transport
from tests.desktop.client.networks import HOST, PROXY_PASSWORD, USER, Certificates, forward_proxy

TOKEN = "one-that-is-secret"
_FRAMES = [json.dumps({"event": {"_id": number, "type": "SEARCH"}}) for number in range(1, 51)]


class StreamService:
    """Sends some events; ``answer`` is sent instead of opening a stream. ``requests`` are those it got."""

    def __init__(self) -> None:
        self.answer: tuple[int, dict[str, str], str] | None = None
        self.requests: list[Request] = []
        self.address = ""

    def respond(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answers a request."""
        self.requests.append(request)
        if self.answer is None:
            return None
        status, headers, body = self.answer
        response = connection.respond(HTTPStatus(status), body)
        for name, value in headers.items():
            response.headers[name] = value
        return response

    async def send(self, connection: ServerConnection) -> None:
        """Sends the frames, a broken one among them, and ends."""
        for frame in _FRAMES:
            await connection.send(frame)
        await connection.send('{"event": {"type": "without an id"}}')


@asynccontextmanager
async def _service(context: SSLContext | None = None) -> AsyncIterator[StreamService]:
    service = StreamService()
    async with serve(service.send, "127.0.0.1", ssl=context, process_request=service.respond) as server:
        service.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield service


@asynccontextmanager
async def _opened(url: str, network: NetworkOptions | None = None) -> AsyncIterator[EventStream]:
    transport = Transport(url, timeout=10.0, network=network)
    try:
        stream = await open_stream(transport, TOKEN, Generation6().poll_events(0, 0), failure)
        try:
            yield stream
        finally:
            await stream.close()
    finally:
        await transport.close()


async def _read(stream: EventStream) -> tuple[list[int], int]:
    """The ids until the end, and the number of records that are no events."""
    ids: list[int] = []
    unreadable = 0
    while True:
        try:
            found = await stream.read()
        except UnreachableError:
            return ids, unreadable
        ids += [event.id for event in found.events]
        unreadable += len(found.unreadable)


async def _error(url: str, network: NetworkOptions | None = None) -> ClientError:
    with pytest.raises(ClientError) as raised:
        async with _opened(url, network):
            pass
    assert raised.value.__context__ is None
    assert TOKEN not in repr(raised.value)
    return raised.value


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """The files of an authority."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.mark.parametrize("is_secure", [False, True], ids=["ws", "wss"])
@pytest.mark.parametrize("proxy", ["", "http", "https"])
async def test_a_stream_takes_the_way_of_the_calls(
    certificates: Certificates, caplog: pytest.LogCaptureFixture, proxy: str, *, is_secure: bool
) -> None:
    """Proxy, its login, both certificates; bursts come together, and the token is in one header only."""
    caplog.set_level(logging.DEBUG)
    context = certificates.context(wants_client=True) if is_secure else None
    scheme = "https" if is_secure else "http"
    certificate = ClientCertificate(certificates.file("client.pem"), certificates.file("key.pem"))
    network = NetworkOptions(certificate=certificate, authority=certificates.file("ca.pem"))
    async with _service(context) as service:
        if proxy:
            proxy_context = certificates.context() if proxy == "https" else None
            async with forward_proxy(f"{scheme}://{service.address}", proxy_context) as forward:
                network = NetworkOptions(
                    forward.url,
                    ProxyLogin(USER, PROXY_PASSWORD),
                    certificate,
                    certificates.file("ca.pem"),
                )
                async with _opened(f"{scheme}://{HOST}", network) as stream:
                    found = await _read(stream)
                assert all(TOKEN not in head for head in forward.heads)
        else:
            async with _opened(f"{scheme}://{service.address}", network) as stream:
                found = await _read(stream)
        assert found == (list(range(1, 51)), 1)
        (request,) = service.requests
        assert request.path == "/api/v1/event/stream"
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
    # The service of the test logs what it gets.
    logged = "".join(one.getMessage() for one in caplog.records if one.name != "websockets.server")
    assert TOKEN not in logged
    assert PROXY_PASSWORD not in logged


_REFUSAL = json.dumps({"code": "UserRequired", "error": "No.", "realm": "api", "statuscode": 401})


@pytest.mark.parametrize(
    ("status", "headers", "body", "expected"),
    [
        (401, {"content-type": "application/json"}, _REFUSAL, SessionLostError),
        (403, {"content-type": "text/html"}, "<html>Blocked by your firm</html>", StreamRefusedError),
        (200, {}, "{}", StreamRefusedError),
        (302, {"location": "http://elsewhere.example/"}, "", StreamRefusedError),
        (502, {"content-type": "text/html"}, "<html>Bad gateway</html>", StreamRefusedError),
    ],
)
async def test_an_answer_instead_of_a_stream(
    status: int, headers: dict[str, str], body: str, expected: type[ClientError]
) -> None:
    """Only the service says that a session is lost; a redirect is not followed, the token stays here."""
    async with _service() as service:
        service.answer = status, headers, body
        assert type(await _error(f"http://{service.address}")) is expected
        assert len(service.requests) == 1


async def test_a_proxy_that_refuses_the_tunnel(tmp_path: Path) -> None:
    """As it may for calls that it would forward."""
    async with _service() as service, forward_proxy(f"http://{service.address}") as forward:
        error = await _error(f"http://{HOST}", NetworkOptions(forward.url, ProxyLogin(USER, "wrong")))
    assert isinstance(error, StreamRefusedError)
    assert "the proxy answers HTTP 407" in str(error)


async def test_certificates_are_checked(certificates: Certificates) -> None:
    """Nothing is sent to a service that is not trusted, and it may refuse the client."""
    async with _service(certificates.context(wants_client=True)) as service:
        url = f"https://{service.address}"
        assert isinstance(await _error(url), CertificateError)
        trusting = NetworkOptions(authority=certificates.file("ca.pem"))
        assert isinstance(await _error(url, trusting), ClientCertificateError | StreamRefusedError)
        assert service.requests == []
    assert isinstance(await _error(url), UnreachableError)
