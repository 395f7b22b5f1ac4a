"""Calls of a service that is not trusted: limited in time and size, without redirects and cookies."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, quote_plus, urlencode, urlsplit

import msgspec

from server_stub.foundation.masking import mask_secrets

if TYPE_CHECKING:
    import httpx

PREFIX = "/api/v1"
_PREFIXES = (PREFIX, "/api")
# Pages of a thousand full events and large models have some 30 MB.
MAX_BYTES = 64 << 20
_SHOWN = 200
_MASKED_BYTES = 8 << 10
_SHORTEST = 4
_HIDDEN = "…"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
# They log whole addresses, and the token is part of these.
_TALKATIVE = ("httpx", "httpcore")


class CannotRunError(Exception):
    """The checks cannot begin or go on. The message is a sentence for the caller and contains no secret."""


class DeviationError(Exception):
    """An answer differs from the interface. The message is a sentence and contains no secret."""


class NoAnswerError(DeviationError):
    """The service has not answered within the limits; `is_down` if it could not be reached at all."""

    def __init__(self, sentence: str, *, is_down: bool = False) -> None:
        super().__init__(sentence)
        self.is_down = is_down


@dataclass(frozen=True)
class Request:
    """One call of the interface; `path` is what follows the prefix, `content` overrides `json`.

    `query` is a query string that is sent as it is, before `params`. A body with a secret is left out of
    the text of a request.
    """

    method: str
    path: str
    params: tuple[tuple[str, str], ...] = ()
    json: Any = None
    content: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    query: str = ""
    prefix: str = PREFIX
    has_secret: bool = False

    def with_params(self, params: Iterable[tuple[str, str]]) -> Request:
        """The same call with further parameters."""
        return replace(self, params=(*self.params, *params))

    @property
    def body(self) -> bytes | None:
        """The bytes that are sent."""
        if self.content is not None or self.json is None:
            return self.content
        return msgspec.json.encode(self.json)

    def __str__(self) -> str:
        params = [pair for pair in self.params if pair[0] != "pretty"]  # it is part of every call
        query = "&".join(filter(None, (self.query, urlencode(params, safe=",:/ *'\""))))
        text = f"{self.method} {self.path}{'?' if query else ''}{query}"
        if self.body is not None and not self.has_secret:
            text += f" {self.body[:60].decode(errors='replace')}"
        return cleaned(text)


def get(path: str, **params: str) -> Request:
    """GET with query parameters."""
    return Request("GET", path, tuple(params.items()))


def post(path: str, json: Any = None, **params: str) -> Request:
    """POST with a JSON body and query parameters."""
    return Request("POST", path, tuple(params.items()), json)


@dataclass(frozen=True)
class Reply:
    """The answer to a call; names of headers are in lower case."""

    request: Request
    status: int
    reason: str
    headers: Mapping[str, str]
    content: bytes = field(repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def media_type(self) -> str:
        """The type of the body without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text. Raises DeviationError if it is not UTF-8."""
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            raise DeviationError(f"{self.request}: the answer is not UTF-8.") from None

    def json(self) -> Any:
        """The body as JSON. Raises DeviationError."""
        try:
            return msgspec.json.decode(self.content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise DeviationError(f"{self.request}: the answer is not JSON: {self}.") from None
        except RecursionError:
            raise DeviationError(f"{self.request}: the JSON of the answer is nested too deep.") from None

    def object(self) -> dict[str, Any]:
        """The body as a JSON object. Raises DeviationError."""
        value = self.json()
        if not isinstance(value, dict):
            raise DeviationError(f"{self.request}: the answer is not a JSON object: {self}.")
        return value

    def __str__(self) -> str:
        # Secrets are removed before the text is cut, since half a token would not be recognized.
        start = self.content[:_MASKED_BYTES].decode(errors="replace")
        for secret in self.secrets:
            start = start.replace(secret, _HIDDEN)
        start = mask_secrets(start)
        return f"{self.status} {self.media_type} {cleaned(start)}".rstrip()


def cleaned(text: str, most: int = _SHOWN) -> str:
    """A text of the service on one line, without control characters and with at most so many others."""
    text = _UNPRINTABLE.sub(" ", text.encode(errors="replace").decode())
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + _HIDDEN


def base_address(text: str) -> str:
    """The address of a service without the prefix of the interface. Raises CannotRunError."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise CannotRunError(f"{cleaned(text)!r} is not an address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CannotRunError(f"{cleaned(text)!r} is not an address such as https://cdb.example.org.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise CannotRunError("The address takes no user name, password, query or fragment.")
    base = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")
    for prefix in _PREFIXES:
        if base.endswith(prefix):
            return base.removesuffix(prefix)
    return base


def is_loopback(base: str) -> bool:
    """Whether an address leads to this machine."""
    host = urlsplit(base).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class ServiceClient:
    """Calls one service, one call at a time.

    `seconds` is the time for a whole call, from its first byte to the last of the answer; `max_bytes` the
    size of an answer. `authority` is a file of certificates in place of the system's, `transport` another way
    to a service than the network, and calls run on the loop of `runner`.
    """

    def __init__(
        self,
        base: str,
        *,
        authority: Path | None = None,
        seconds: float = 30,
        max_bytes: int = MAX_BYTES,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        self._httpx = import_module("httpx")  # loading it takes as long as starting the server
        self._base = base
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._secrets: frozenset[str] = frozenset()
        self.runner = asyncio.Runner()
        self._client: httpx.AsyncClient = self._httpx.AsyncClient(
            verify=_tls(authority) if base.startswith("https:") else False,
            # A proxy cannot reach the loopback address of this machine.
            trust_env=not is_loopback(base),
            follow_redirects=False,
            transport=transport,
            timeout=None,  # asyncio limits the time of the whole call
            headers={"accept-encoding": "identity", "user-agent": "cdb-server conform"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.runner.run(self._client.aclose())
        self.runner.close()

    def hide(self, secret: str) -> None:
        """Leaves a secret out of every text that is made from answers.

        A shorter one would be found in words that have nothing to do with it.
        """
        if len(secret) >= _SHORTEST:
            self._secrets |= {secret, quote(secret, ""), quote(secret), quote_plus(secret)}

    def masked(self, text: str) -> str:
        """A text without the hidden secrets and without anything else that looks like a token."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return mask_secrets(text)

    def call(self, request: Request, token: str | None = None) -> Reply:
        """Makes a call, with a session token in the query. Raises NoAnswerError."""
        try:
            return self.runner.run(self._call(request, token))
        except TimeoutError:
            raise NoAnswerError(f"{request}: no complete answer within {self._seconds:g} s.") from None
        except self._httpx.ConnectError as error:
            sentence = f"The service cannot be reached: {self._reason(error)}."
            raise NoAnswerError(sentence, is_down=True) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL, OSError, ValueError) as error:
            raise NoAnswerError(f"{request}: the answer cannot be read: {self._reason(error)}.") from None

    async def _call(self, request: Request, token: str | None) -> Reply:
        headers = dict(request.headers)
        if request.json is not None and request.content is None:
            headers.setdefault("content-type", "application/json")
        async with (
            asyncio.timeout(self._seconds),
            self._client.stream(
                request.method, self._address(request, token), content=request.body, headers=headers
            ) as response,
        ):
            content = bytearray()
            async for part in response.aiter_raw():
                content += part
                if len(content) > self._max_bytes:
                    raise NoAnswerError(f"{request}: the answer has more than {self._max_bytes >> 20} MB.")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise NoAnswerError(f"{request}: the answer is compressed although nobody asked for it.")
            found = {name.lower(): value for name, value in response.headers.items()}
            # A session is a token, so cookies must not distinguish callers.
            self._client.cookies.clear()
            reason = response.reason_phrase
            return Reply(request, response.status_code, reason, found, bytes(content), self._secrets)

    def _address(self, request: Request, token: str | None) -> str:
        params = [*request.params, *([("token", token)] if token is not None else [])]
        query = "&".join(filter(None, (request.query, urlencode(params))))
        return f"{self._base}{request.prefix}/{request.path}{'?' if query else ''}{query}"

    def _reason(self, error: Exception) -> str:
        return cleaned(self.masked(str(error) or type(error).__name__)).rstrip(".")


def _tls(authority: Path | None) -> ssl.SSLContext:
    """Verifies with these certificates or those of the system. Raises CannotRunError."""
    if authority is None:
        context: ssl.SSLContext = import_module("truststore").SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return context
    try:
        return ssl.create_default_context(cafile=str(authority))
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotRunError(f"The certificates in {authority} cannot be read: {reason}.") from None
