"""Takes an HTTP request apart and puts an answer together, as ASGI has them; knows no call.

Starlette's request and response do for everybody what costs a poll more than finding that nothing is new.
"""

from __future__ import annotations

from typing import IO
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Message, Receive, Scope, Send

from server_stub.http.calls import Answer, Incoming
from server_stub.http.instance import API_VERSION
from server_stub.http.requests import first_token, readable_form

_APART = {"token", "pretty"}
_SECRET = {"token", "password"}
_PART = 64 << 10
_NOT_PRETTY = {"0", "false"}
_ALWAYS = ((b"cache-control", b"no-cache"), (b"x-easydb-api-version", API_VERSION.encode()))


class HungUpError(Exception):
    """The caller is gone: nobody is left to answer."""


class RequestBody:
    """The body of a request, read no further than somebody wants it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self.content_type = _header(scope, b"content-type")
        announced = _header(scope, b"content-length")
        # The parser of HTTP has refused what is no number.
        self.announced = int(announced) if announced else None
        self.is_whole = not self.announced and not _header(scope, b"transfer-encoding")
        self.content = bytearray()

    async def read(self, most: int) -> None:
        """Reads on, to the end or until there are more than ``most`` bytes. Raises HungUpError."""
        if self.announced is not None and self.announced > most:
            return
        while not self.is_whole and len(self.content) <= most:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise HungUpError
            self.content += message.get("body", b"")
            self.is_whole = not message.get("more_body", False)

    def taken(self) -> bytes:
        """What was read; it is given away, so that a large body is in memory once."""
        content, self.content = bytes(self.content), bytearray()
        return content

    def is_within(self, most: int) -> bool:
        """Whether all of it was read, and it has no more than ``most`` bytes."""
        return self.is_whole and len(self.content) <= most


def hosts_of(scope: Scope) -> list[str]:
    """Whom the request is for, as it says: one name, if it is a proper one."""
    return [str(value, "latin-1") for name, value in scope["headers"] if name == b"host"]


def taken_apart(scope: Scope, body: bytes) -> Incoming:
    """A request as the calls know it; of several tokens the query's counts, then the form's (wire §1)."""
    given = _pairs(scope["query_string"].decode("latin-1"))
    content_type = _header(scope, b"content-type")
    everywhere = (*given, *readable_form(content_type, body)) if body else given
    token = first_token(everywhere) or _header(scope, b"x-easydb-token")
    client = scope.get("client")
    return Incoming(
        scope["method"],
        scope["path"],
        tuple([pair for pair in given if pair[0] not in _APART]),
        body,
        content_type,
        token or None,
        client[0] if client else None,
        _NOT_PRETTY.isdisjoint([value for name, value in given if name == "pretty"]),
        (token, *[value for name, value in everywhere if name in _SECRET]),
    )


def put_together(answer: Answer, schema_version: int, *, pretty: bool) -> tuple[Message, bytes | IO[bytes]]:
    """The beginning of an answer and its body, JSON in it for human eyes or as short as it is."""
    body = answer.body
    if isinstance(body, bytes):
        if pretty and not answer.is_formatted and answer.media_type.startswith("application/json"):
            body = msgspec.json.format(body, indent=1)
        size = len(body)
    else:
        size = body.tell()
        body.seek(0)
    headers = [
        *_ALWAYS,
        (b"x-easydb-user-schema-version", b"%d" % schema_version),
        (b"content-length", b"%d" % size),
        (b"content-type", answer.media_type.encode("latin-1")),
    ]
    if answer.filename is not None:
        disposition = f'attachment; filename="{answer.filename}"'
        headers.append((b"content-disposition", disposition.encode("latin-1")))
    return {"type": "http.response.start", "status": answer.status, "headers": headers}, body


async def send_body(send: Send, body: bytes | IO[bytes]) -> None:
    """Sends a body, a file part by part as fast as the client takes it; then the file is closed."""
    if isinstance(body, bytes):
        await send({"type": "http.response.body", "body": body})
        return
    with body:
        while part := body.read(_PART):  # It was written just now: it comes from the system's memory.
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def _pairs(query: str) -> list[tuple[str, str]]:
    """The names and values of a query."""
    if "%" in query or "+" in query:
        # Bytes that are no UTF-8 are carried along, for the parameter that holds them to be named.
        return parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    # Where nothing is escaped this is the same, at a third of the cost.
    return [part.partition("=")[::2] for part in query.split("&") if part]


def _header(scope: Scope, name: bytes) -> str:
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return ""
