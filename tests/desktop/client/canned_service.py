"""A real HTTP service on a loopback socket that sends prepared answers and records the requests."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

JSON = "application/json; charset=utf-8"
TOKEN = "3f1c-secret-token-77aa"
PASSWORD = "swordfish & co"
SESSION: Mapping[str, object] = {"token": TOKEN, "instance": {"server_version": "5.141.2", "name": "canned"}}
SETTINGS: Mapping[str, object] = {"api": "1", "server_version": "5.141.2", "name": "canned"}
SETTINGS_6: Mapping[str, object] = {
    "version": "6.35.0",
    "version_full": "6.35.0 x",
    "instance": "museum",
    "name": "Museum",
}
TOKENS: Mapping[str, object] = {
    "access_token": TOKEN,
    "refresh_token": "refresh",
    "token_type": "bearer",
    "expires_in": 86400,
}
SIGNED_IN: Mapping[str, object] = {
    **SESSION,
    "authenticated": {"method": "easydb", "timestamp": "2024-05-01T12:00:00+02:00"},
    "current_max_event_id": 41,
    "system_rights": {"system.datamodel": {"level": "development"}},
    "user": {"user": {"_id": 1, "login": "root", "type": "system", "_generated_displayname": "Root"}},
}


@dataclass(frozen=True)
class Canned:
    """A prepared answer; a body that is not bytes is sent as JSON."""

    body: object = b""
    status: int = 200
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass(frozen=True)
class RecordedRequest:
    """A request as it was received."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    content_type: str
    body: bytes
    address: str
    authorization: str = ""
    if_match: str = ""

    @property
    def parameters(self) -> dict[str, str]:
        """The query parameters without those that every call has."""
        return {name: value for name, value in self.query if name not in {"token", "pretty"}}


class CannedService:
    """The prepared answers by method and path, and the requests so far."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.answers: dict[str, list[Canned]] = {}
        self.requests: list[RecordedRequest] = []

    def prepare(self, call: str, *answers: Canned) -> None:
        """Prepares the answers to ``call``, such as ``GET /api/v1/session``; the last one is repeated."""
        self.answers[call] = list(answers)

    def reset(self, generation: int = 5) -> None:
        """Discards everything and prepares the answers that start and authenticate a session."""
        self.requests.clear()
        self.answers.clear()
        if generation == 6:
            self.prepare("GET /api/v1/settings", Canned(SETTINGS_6, headers={"x-fylr-status": "ready"}))
            self.prepare("POST /api/oauth2/token", Canned(TOKENS))
            self.prepare("POST /api/oauth2/revoke", Canned({}))
            self.prepare("GET /api/v1/user/session", Canned(SIGNED_IN))
            return
        self.prepare("GET /api/v1/settings", Canned(SETTINGS))
        self.prepare("GET /api/v1/session", Canned(SESSION))
        self.prepare("POST /api/v1/session/authenticate", Canned(SIGNED_IN))

    async def answer(self, request: Request) -> Response:
        """Returns the prepared answer to a request, or 404 without a body if there is none."""
        self.requests.append(await _recorded(request))
        waiting = self.answers.get(f"{request.method} {request.url.path}", [Canned(status=404)])
        canned = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        await asyncio.sleep(canned.delay)
        body = canned.body if isinstance(canned.body, bytes) else json.dumps(canned.body).encode()
        headers = {"content-type": canned.content_type, **canned.headers}
        return Response(body, canned.status, {name: value for name, value in headers.items() if value})


async def _recorded(request: Request) -> RecordedRequest:
    return RecordedRequest(
        request.method,
        request.url.path,
        tuple(parse_qsl(request.url.query, keep_blank_values=True)),
        request.headers.get("content-type", ""),
        await request.body(),
        str(request.url),
        request.headers.get("authorization", ""),
        request.headers.get("if-match", ""),
    )


@contextmanager
def running_service() -> Iterator[CannedService]:
    """A service in its own thread, for the length of a block."""
    listening = socket.create_server(("127.0.0.1", 0))
    service = CannedService(f"http://127.0.0.1:{listening.getsockname()[1]}")
    methods = ["GET", "POST", "DELETE"]
    app = Starlette(routes=[Route("/{path:path}", service.answer, methods=methods)])
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield service
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listening.close()
