"""Takes an HTTP request apart and puts an answer together, as ASGI has them; knows no call.

Starlette's request and response do for everybody what costs a poll more than finding that nothing is new.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

import msgspec
from starlette.types import Message, Receive, Scope

from server_stub.api.bodies import first_token, readable_form
from server_stub.api.call import Answer, Incoming
from server_stub.api.handling import MOST_BYTES
from server_stub.api.instance import API_VERSION

_APART = {"token", "pretty"}
_SECRET = {"token", "password"}
_NOT_PRETTY = {"0", "false"}
_ALWAYS = ((b"cache-control", b"no-cache"), (b"x-easydb-api-version", API_VERSION.encode()))


async def read_body(receive: Receive) -> bytes | None:
    """The body, None when the caller hung up; of one that is refused for its size no more than that takes."""
    body, more = bytearray(), True
    while more and len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return bytes(body)


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


def put_together(answer: Answer, schema_version: int, *, pretty: bool) -> tuple[Message, Message]:
    """The two messages of an answer, JSON in it for human eyes or as short as it is."""
    body = answer.body
    if pretty and answer.media_type.startswith("application/json"):
        body = msgspec.json.format(body, indent=1)
    headers = [
        *_ALWAYS,
        (b"x-easydb-user-schema-version", b"%d" % schema_version),
        (b"content-length", b"%d" % len(body)),
        (b"content-type", answer.media_type.encode("latin-1")),
    ]
    if answer.filename is not None:
        disposition = f'attachment; filename="{answer.filename}"'
        headers.append((b"content-disposition", disposition.encode("latin-1")))
    return (
        {"type": "http.response.start", "status": answer.status, "headers": headers},
        {"type": "http.response.body", "body": body},
    )


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
