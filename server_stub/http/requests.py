"""Requests (wire §1): parameters, token, and a body that is read within limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from server_stub.foundation.errors import ApiError

FORM = "application/x-www-form-urlencoded"
# A form holds a log-in, a password and a token.
MAX_FORM_BYTES = 64 << 10
_MAX_FORM_FIELDS = 100
_JSON = {"", "application/json", "text/json"}

# Objects and values of a JSON body: several times those of the largest schema.
_MOST_OBJECTS = 500_000
_MOST_VALUES = 2_000_000

_FOR_ALL_CALLS = {"token", "pretty"}
_NOT_PRETTY = {"0", "false"}
_SECRETS = {"token", "password", "code", "code_verifier", "refresh_token", "client_secret"}

# How much of an unused body is read and dropped before the connection is closed.
_MAX_DROPPED_BYTES = 128 << 20
_DROPPING_SECONDS = 5.0
_SILENT_SECONDS = 1.0

# By which logs and answers name a request: as its sender does, or by a new one.
REQUEST_ID = "x-request-id"
_REQUEST_ID = re.compile(r"[\w.:+/=-]{1,128}", re.ASCII)

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


@contextmanager
def logged_as(name: str) -> Iterator[None]:
    """A block whose log is that of a request."""
    before = request_id.set(name)
    try:
        yield
    finally:
        request_id.reset(before)


_Pairs = tuple[tuple[str, str], ...]


class ApiRequest(Request):
    """Starlette's request with what the contract adds to it.

    `arguments` are the parameters in the query without those that every call takes; `is_pretty` says whether
    JSON is to be indented in the answer. `id` names the request. `content` is the body as far as it has been
    read. `token`, which `read_token` finds, and `secrets` may be in a form body: they are to be used after it
    has been read.
    """

    def __init__(
        self, scope: Scope, receive: Receive, read_token: Callable[[ApiRequest], str | None] | None = None
    ) -> None:
        super().__init__(scope, receive)
        self._read_token = read_token or token_of_session
        self.path: str = scope["path"]
        self._query = _pairs(scope["query_string"].decode("latin-1"))
        self.arguments = tuple([pair for pair in self._query if pair[0] not in _FOR_ALL_CALLS])
        self.is_pretty = not any(name == "pretty" and value in _NOT_PRETTY for name, value in self._query)
        self.content = bytearray()
        self.media_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        given = self.headers.get(REQUEST_ID, "")
        self.id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        length = self.headers.get("content-length")
        # The HTTP parser has refused what is no number.
        self.announced_bytes = int(length) if length else None
        self.is_complete = not self.announced_bytes and "transfer-encoding" not in self.headers

    # The body

    async def read(self, limit: int) -> None:
        """Reads on, to the end of the body or until there are more than `limit` bytes of it.

        Reads nothing of a body that is announced as longer. Raises ClientDisconnect.
        """
        if self.announced_bytes is not None and self.announced_bytes > limit:
            return
        while not self.is_complete and len(self.content) <= limit:
            self.content += await self._next_part()

    def fits(self, limit: int) -> bool:
        """Whether all of the body has been read, and it has no more than `limit` bytes."""
        return self.is_complete and len(self.content) <= limit

    def forget_content(self) -> None:
        """Frees the memory of a body that is too large to be used."""
        self.content = bytearray()

    async def drop_rest(self) -> None:
        """Reads the rest of the body without keeping it, as far as the client goes on sending.

        A connection that is closed while the client is still sending would be reset by the system, and the
        client would never read the answer.
        """
        dropped = 0
        with suppress(TimeoutError, ClientDisconnect):
            async with asyncio.timeout(_DROPPING_SECONDS):
                while not self.is_complete and dropped <= _MAX_DROPPED_BYTES:
                    dropped += len(await asyncio.wait_for(self._next_part(), _SILENT_SECONDS))

    async def _next_part(self) -> bytes:
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self.is_complete = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    @property
    def has_content(self) -> bool:
        """Whether the body holds anything but blanks."""
        return bool(self.content) and not self.content.isspace()

    def json_value(self) -> Any:
        """Decodes the body; a content type may be missing, but a wrong one is refused (§7.2).

        Raises ApiError invalid_content.
        """
        if self.media_type not in _JSON:
            raise ApiError("invalid_content", f"The body must be application/json, not {self.media_type}.")
        if not self.has_content:
            raise ApiError("invalid_content", "The body is empty; JSON is expected.")
        # Decoded, they take a hundred times as much memory as here. What is in texts counts, too.
        if self.content.count(b"{") > _MOST_OBJECTS or self.content.count(b",") > _MOST_VALUES:
            raise ApiError(
                "invalid_content", f"The body has more than {_MOST_OBJECTS} objects or {_MOST_VALUES} values."
            )
        try:
            return msgspec.json.decode(self.content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ApiError("invalid_content", f"The body is no JSON: {error}.") from error

    def json_object(self) -> dict[str, Any]:
        """Decodes the body, which must be a JSON object. Raises ApiError."""
        value = self.json_value()
        if not isinstance(value, dict):
            raise ApiError("type_mismatch", "The body must be a JSON object.")
        return value

    @property
    def is_form(self) -> bool:
        """Whether the body is a form."""
        return self.media_type == FORM

    def form_fields(self) -> _Pairs:
        """The names and values of a form body, none if the body is no form. Raises ApiError."""
        if not self.is_form:
            return ()
        try:
            return tuple(_pairs(self.content.decode(), _MAX_FORM_FIELDS))
        except (UnicodeDecodeError, ValueError) as error:
            raise ApiError("invalid_content", "The form in the body cannot be read.") from error

    # Token and secrets

    def fields(self) -> Iterable[tuple[str, str]]:
        """Names and values in the query and in a form."""
        if not self.content:
            return self._query
        try:
            return (*self._query, *self.form_fields())
        except ApiError:
            return self._query  # The call that needs the form refuses it.

    @cached_property
    def token(self) -> str | None:
        """The token that signs the call in."""
        return self._read_token(self)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that must not be logged or stored: token and passwords."""
        given = [value for name, value in self.fields() if name in _SECRETS]
        return (*given, self.token) if self.token else tuple(given)

    @property
    def ipv4_address(self) -> str | None:
        """The address of the caller; a proxy may have named what is none."""
        try:
            return str(ip_address(self.client.host if self.client else ""))
        except ValueError:
            return None


def token_of_session(request: ApiRequest) -> str | None:
    """The session token: the one in the query, then that in a form, then that in the header."""
    given = next((value for name, value in request.fields() if name == "token" and value), None)
    if given is not None:
        return given.encode("utf-8", "replace").decode()
    return request.headers.get("x-easydb-token") or None


def _pairs(text: str, max_fields: int | None = None) -> list[tuple[str, str]]:
    """Names and values, among them escaped bytes that are no UTF-8: the call names their parameter."""
    return parse_qsl(text, keep_blank_values=True, errors="surrogateescape", max_num_fields=max_fields)
