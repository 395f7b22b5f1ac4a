"""A service that behaves like the reference server except for one deviation, over real sockets."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server_stub.database import open_database
from server_stub.http.application import create_app
from server_stub.http.dialect import Dialect
from server_stub.http.routes import GENERATION_5
from server_stub.http.services import Services
from server_stub.process.composition import compose
from tests.contract.transports import Stage
from tests.demo_files import create_demo

Raw = Callable[[Send], Awaitable[None]]


@dataclass
class Call:
    """A request, which a deviation may change before the server gets it."""

    method: str
    path: str
    query: list[tuple[str, str]]
    body: bytes

    @property
    def name(self) -> str:
        """The call without the prefix of the interface."""
        return self.path.removeprefix("/api/v1/").removeprefix("/api/")

    @property
    def params(self) -> dict[str, str]:
        """The query parameters."""
        return dict(self.query)

    def drop(self, *names: str) -> None:
        """Leaves parameters out."""
        self.query = [pair for pair in self.query if pair[0] not in names]

    def put(self, **values: str) -> None:
        """Replaces parameters."""
        self.drop(*values)
        self.query += values.items()


@dataclass
class Answer:
    """A response, which a deviation may change; `raw` sends other messages in its place."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes
    raw: Raw | None = None

    def json(self) -> Any:
        """The body as JSON."""
        return msgspec.json.decode(self.body)

    def put(self, value: object, status: int | None = None) -> None:
        """Replaces the body by JSON, and the status."""
        self.body = msgspec.json.encode(value)
        self.headers[b"content-type"] = b"application/json; charset=utf-8"
        self.status = self.status if status is None else status


@dataclass
class Deviation:
    """What a service does differently; `before` changes requests, `after` their responses."""

    before: Callable[[Call], None] = lambda _: None
    after: Callable[[Call, Answer], None] = lambda _, __: None


@dataclass
class DeviatingService:
    """The reference server behind a deviation; `tokens` are those of all calls."""

    app: Router
    deviation: Deviation = field(default_factory=Deviation)
    tokens: set[str] = field(default_factory=set)

    def lifespan_context(self, _: object) -> Any:
        """The lifespan of the server."""
        return self.app.lifespan_context(self.app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        text = scope["query_string"].decode("latin-1")
        pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
        call = Call(scope["method"], scope["path"], pairs, body)
        self.tokens.update(value for name, value in pairs if name == "token" and value)
        self.deviation.before(call)
        answer = await _answered(self.app, scope, call)
        self.deviation.after(call, answer)
        if answer.raw is not None:
            await answer.raw(send)
            return
        answer.headers[b"content-length"] = str(len(answer.body)).encode()
        headers = list(answer.headers.items())
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


async def _answered(app: ASGIApp, scope: Scope, call: Call) -> Answer:
    """The response of the server to a call."""
    query = urlencode(call.query, errors="surrogateescape").encode()
    headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
    headers.append((b"content-length", str(len(call.body)).encode()))
    changed = {**scope, "path": call.path, "query_string": query, "headers": headers}
    answer = Answer(0, {}, b"")

    async def receive() -> Message:
        return {"type": "http.request", "body": call.body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status, answer.headers = message["status"], dict(message["headers"])
        else:
            answer.body += message.get("body", b"")

    await app(changed, receive, send)
    return answer


@contextmanager
def demo_services(folder: Path, events: int = 300) -> Iterator[Services]:
    """The services of a reference server on demo data."""
    file = folder / "deviating.sqlite"
    create_demo(file, events)
    database = open_database(str(file))
    yield compose(database, demo=True)
    database.close()


@contextmanager
def deviating(
    stage: Stage, services: Services, deviation: Deviation, dialect: Dialect = GENERATION_5
) -> Iterator[DeviatingService]:
    """Serves the reference server with a deviation at the address of the stage."""
    service = DeviatingService(create_app(services, dialect=dialect), deviation)
    with stage.showing(cast("Router", service)):
        yield service
