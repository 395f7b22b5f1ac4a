"""One request at which a fault is injected: its answer, its connection, and the services of the server."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server_stub.accounts import Session
from server_stub.foundation.errors import ContractError, UserError
from server_stub.http.dialect import Dialect
from server_stub.http.dispatch import Dispatch
from server_stub.http.endpoint import Endpoint
from server_stub.http.requests import MAX_FORM_BYTES, ApiRequest
from server_stub.http.services import Services

# The header that names the injected fault.
CHAOS_HEADER = b"x-cdb-chaos"
# The ASGI extension with the `transport` of the connection, which process/serving.py adds.
CONNECTION = "cdb.connection"

_PART_BYTES = 256 << 10
# The linger option that makes close() reset the connection.
_RESET = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


@dataclass(frozen=True)
class BufferedResponse:
    """A whole response."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """The value of a header, by its name in lower case."""
        return next((value for known, value in self.headers if known == name), None)

    def with_header(self, name: bytes, value: bytes | None) -> BufferedResponse:
        """The response with another value of a header, or without it if the value is None."""
        others = tuple(pair for pair in self.headers if pair[0] != name)
        return replace(self, headers=others if value is None else (*others, (name, value)))

    def with_body(self, body: bytes) -> BufferedResponse:
        """The response with another body and its length."""
        return replace(self, body=body).with_header(b"content-length", b"%d" % len(body))

    @property
    def json(self) -> Any:
        """The value of a successful response in JSON; None for any other."""
        is_json = (self.header(b"content-type") or b"").startswith(b"application/json")
        return msgspec.json.decode(self.body) if self.status == 200 and is_json and self.body else None

    def with_json(self, value: object) -> BufferedResponse:
        """The response with another value."""
        return self.with_body(msgspec.json.encode(value))


class WithheldEvents(msgspec.Struct):
    """Events that a poll of a session did not return; `passed` if a later one has been returned since."""

    records: list[dict[str, Any]]
    passed: bool


class Exchange:
    """The request as faults see it.

    `parameters` are those of the fault, `mark` is its name for the header, empty if it could not be injected;
    `endpoint` is that of the call. `withheld` is shared by all requests: the events that were
    withheld, by the token of the session.
    """

    def __init__(
        self,
        application: ASGIApp,
        services: Services,
        dialect: Dialect,
        endpoint: Endpoint,
        connection: tuple[Scope, Receive, Send],
        withheld: dict[str, WithheldEvents],
    ) -> None:
        self.services = services
        self.endpoint = endpoint
        self.withheld = withheld
        self.parameters: Mapping[str, float] = {}
        self._application = application
        self._dialect = dialect
        self._scope, self._receive_next, self._send = connection
        self._received: list[Message] = []  # before the call ran, for the call
        self._request = ApiRequest(self._scope, self._receive, dialect.read_token)
        self.mark = ""

    @property
    def query(self) -> Mapping[str, str]:
        """The parameters in the query, without the token."""
        return dict(self._request.arguments)

    @property
    def token(self) -> str:
        """The token in the query or header, or an empty string."""
        return self._request.token or ""

    async def form(self) -> Mapping[str, str]:
        """The fields of a form in the body, which the call still gets."""
        await self._request.read(MAX_FORM_BYTES)
        content, is_complete = bytes(self._request.content), self._request.is_complete
        self._received.append({"type": "http.request", "body": content, "more_body": not is_complete})
        return dict(self._request.form_fields())

    def path_ends_with(self, name: str) -> bool:
        """Whether the last part of the path is `name`."""
        return self._request.path.endswith(f"/{name}")

    # The call

    async def run(self) -> BufferedResponse:
        """Runs the call as if nothing was wrong, and returns its response without sending it."""
        started: list[Message] = []
        parts: list[bytes] = []

        async def keep(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message)
            else:
                parts.append(message.get("body", b""))

        await self._application(self._scope, self._receive, keep)
        if not started:  # The client has disconnected.
            return BufferedResponse(500, (), b"")
        return BufferedResponse(started[0]["status"], tuple(started[0]["headers"]), b"".join(parts))

    async def pass_on(self) -> None:
        """Runs the call and sends its response."""
        await self._application(self._scope, self._receive, self._marked)

    async def answer_as_usual(self, reply: BufferedResponse | None = None) -> None:
        """Answers without the fault: there is nothing to change."""
        self.mark = ""
        await (self.pass_on() if reply is None else self.send(reply))

    def session(self) -> Session | None:
        """The session of the call, None if there is none; blocks."""
        try:
            with self.services.database.reader() as reader:
                return self.services.sessions.find(reader, self.token)
        except UserError:
            return None

    # The response

    async def refuse(self, error: ContractError) -> None:
        """Answers with an error object, without running the call."""
        dispatch = Dispatch(
            self.services, self._dialect, {self.endpoint.method: self.endpoint}, self._request
        )
        response = await asyncio.to_thread(dispatch.refuse, error)
        await response(self._scope, self._receive, self._marked)

    async def send(self, reply: BufferedResponse) -> None:
        """Sends a response."""
        await self.send_parts(reply, pieces(reply.body, _PART_BYTES))

    async def send_parts(self, reply: BufferedResponse, parts: Iterable[bytes], pause: float = 0.0) -> None:
        """Sends the head of a response and a body of some parts, `pause` seconds apart."""
        await self._begin(reply, parts, pause)
        await self._marked({"type": "http.response.body", "body": b""})

    async def send_half(self, reply: BufferedResponse) -> None:
        """Sends the head of a response and the first half of its body, then closes the connection."""
        await self._begin(reply, [reply.body[: len(reply.body) // 2]])
        await self.close()

    async def _begin(self, reply: BufferedResponse, parts: Iterable[bytes], pause: float = 0.0) -> None:
        await self._marked(
            {"type": "http.response.start", "status": reply.status, "headers": list(reply.headers)}
        )
        for part in parts:
            await self._marked({"type": "http.response.body", "body": part, "more_body": True})
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Closes the connection without another byte."""
        transport = self._transport
        if transport is None:
            raise RuntimeError("The server does not provide the connection.")
        transport.close()
        await self._disconnected()

    async def reset(self) -> None:
        """Resets the connection: the client gets an error instead of an end."""
        transport = self._transport
        if transport is not None and (found := transport.get_extra_info("socket")) is not None:
            # Another object for the same connection: that of the event loop has no such method everywhere.
            with socket.fromfd(found.fileno(), found.family, found.type) as same, suppress(OSError):
                same.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        if transport is not None:
            transport.abort()
        await self._disconnected()

    async def wait(self, seconds: float) -> None:
        """Waits, at most until the client closes the connection; before the call runs or after it."""
        received: list[Message] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not received or received[-1]["type"] != "http.disconnect":
                    received.append(await self._receive())
        self._received += received

    async def _receive(self) -> Message:
        return self._received.pop(0) if self._received else await self._receive_next()

    async def _disconnected(self) -> None:
        # Returning earlier would make uvicorn answer in its own words.
        while (await self._receive())["type"] != "http.disconnect":
            pass

    @property
    def _transport(self) -> asyncio.Transport | None:
        found: asyncio.Transport | None = (
            self._scope.get("extensions", {}).get(CONNECTION, {}).get("transport")
        )
        return found

    async def _marked(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self.mark:
            message = {**message, "headers": [*message["headers"], (CHAOS_HEADER, self.mark.encode())]}
        await self._send(message)


def pieces(body: bytes, size: int) -> list[bytes]:
    """The parts of a body, each but the last one of some size."""
    return [body[start : start + size] for start in range(0, len(body), size)]
