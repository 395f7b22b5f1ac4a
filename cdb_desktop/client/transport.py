"""Carries requests over HTTP and brings back answers. The one module that knows httpx, not what they mean."""

from __future__ import annotations

import asyncio
import importlib
import logging
import math
import ssl
import sys
import time
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from functools import cache
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode
from urllib.request import getproxies, proxy_bypass

from cdb_desktop.client.errors import (
    AnswerError,
    ClientError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.client.redaction import bare_url, redact
from cdb_desktop.client.unreachable import is_loopback, kind_and_reason
from cdb_desktop.client.wire import MEGABYTE, Answer, Request
from cdb_desktop.lazy import lazy

if TYPE_CHECKING:
    import httpx
    import truststore
else:
    # They take a third of the time to the first window, which needs neither.
    httpx, truststore = lazy("httpx"), lazy("truststore")
    # httpx's command line, which loads all that it prints with where somebody has installed that.
    sys.modules.setdefault("httpx._main", None)

Wire: TypeAlias = "httpx.AsyncBaseTransport"

_log = logging.getLogger(__name__)
_LOADING = Lock()
_HARMLESS = frozenset({"limit", "offset", "sort", "format", "skip_count", "reindex_generate_events"})
_LOADED_BY_A_CALL = ("httpcore", "anyio._backends._asyncio")
_CONNECT_SECONDS = 10.0
# Common servers close a connection that was idle for 5 s: letting go of it earlier avoids the collision.
_IDLE_SECONDS = 4.0
_LAST_PORT = 65535
_DEADLINE = 10.0  # times the limit of a step, for a whole call
_ONE_AT_A_TIME = 8 * MEGABYTE  # bytes of an answer from which on others of this size wait
_SLOWEST = 1000.0  # bytes a second, below which an answer counts as none


class Transport:
    """Sends requests to one service; the token is added here and shown nowhere."""

    def __init__(self, base_url: str, *, timeout: float, wire: Wire | None = None) -> None:
        url = _checked(base_url)
        _silence_url_logs()
        self.address = bare_url(str(url)).rstrip("/")
        self._base = str(url.copy_with(query=None, fragment=None)).rstrip("/")
        self._timeout = timeout
        self._proxy = _proxy_of(url)
        self._large = asyncio.Lock()  # of many large answers at once the memory holds one
        self._http = _http_client(url, wire)

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def send(self, request: Request, token: str | None) -> Answer:
        """The answer of whatever status.

        Raises UnreachableError, SlowAnswerError, AnswerError, TooLargeError.
        """
        secrets = (*request.secrets, *((token,) if token and request.signed else ()))
        started = time.perf_counter()
        result = await self._exchange(request, token if request.signed else None)
        _note(request, result, time.perf_counter() - started)
        if isinstance(result, _Reply):
            return Answer(result.status, result.headers, result.body, secrets)
        # Outside of any except block: httpx's own errors hold the request and with it the token.
        raise self._translated(result, request, secrets)

    async def _exchange(self, request: Request, token: str | None) -> _Reply | Exception:
        trail = _Trail()
        result = await self._attempt(request, token, trail)
        if isinstance(result, _cut_off()) and request.method == "GET" and trail.was_stale:
            result = await self._attempt(request, token, _Trail())
        return result

    async def _attempt(self, request: Request, token: str | None, trail: _Trail) -> _Reply | Exception:
        seconds = self._seconds(request)
        try:
            built = self._http.build_request(
                request.method,
                self._url(request, token),
                content=request.body,
                headers={"content-type": request.content_type} if request.content_type else None,
                timeout=httpx.Timeout(seconds, connect=min(seconds or _CONNECT_SECONDS, _CONNECT_SECONDS)),
                extensions={"trace": trail},
            )
            async with asyncio.timeout(None if seconds is None else _DEADLINE * seconds):
                response = await self._http.send(built, stream=True)
                chunks = response.aiter_raw()
                try:
                    return await self._read(response, chunks, request, seconds)
                finally:
                    await response.aclose()
                    # Ends the generators that it is made of, which nobody else would close.
                    with suppress(Exception):
                        async for _ in chunks:
                            pass
        except _failures() as error:
            return error.with_traceback(None)  # its frames hold what has come

    async def _read(
        self, response: httpx.Response, chunks: AsyncIterator[bytes], request: Request, seconds: float | None
    ) -> _Reply:
        """The whole answer, unpacked. Raises _TooLargeError, _TooSlowError, httpx's errors."""
        unpacked = _Unpacked(response.headers.get("content-encoding", ""))
        reply = _Reply(response.status_code, dict(response.headers), b"")
        into = request.sink if request.sink and _is_file(reply) else None
        largest = request.largest_file if into else request.largest
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) > largest:
            raise _TooLargeError(response.status_code, largest)
        body, size = BytesIO(), 0
        write = into or body.write
        came, since = 0, time.monotonic()
        async with AsyncExitStack() as turn:
            has_turn = False
            async for raw in chunks:
                came += len(raw)
                for piece in unpacked.pieces(raw):
                    size += len(piece)
                    if size > largest:
                        raise _TooLargeError(response.status_code, largest)
                    write(piece)
                    if unpacked.is_packed:
                        await asyncio.sleep(0)  # a little that came may be much
                    if size > _ONE_AT_A_TIME and into is None and not has_turn:
                        await turn.enter_async_context(self._large)
                        has_turn, came, since = True, 0, time.monotonic()
                waited = time.monotonic() - since
                if seconds is not None and waited >= seconds:
                    if came < _SLOWEST * waited:
                        raise _TooSlowError
                    came, since = 0, time.monotonic()
        if not unpacked.is_complete:
            raise zlib.error
        return reply._replace(body=body.getvalue())

    def _seconds(self, request: Request) -> float | None:
        """The time limit of each step, None for none."""
        return None if math.isinf(request.patience) else self._timeout * request.patience

    def _url(self, request: Request, token: str | None) -> str:
        signature = (("token", token),) if token else ()
        query = urlencode((*request.query, *signature, ("pretty", "0")), quote_via=quote)
        return f"{self._base}/{request.path}?{query}"

    def _translated(self, error: Exception, request: Request, secrets: tuple[str, ...]) -> ClientError:
        if isinstance(error, _TooLargeError):
            return TooLargeError(error.largest, status=error.status)
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return SlowAnswerError(self._seconds(request) or 0.0)
        if isinstance(error, TimeoutError | _TooSlowError):
            return SlowAnswerError(_DEADLINE * (self._seconds(request) or 0.0))
        if isinstance(error, httpx.DecodingError | zlib.error):
            return AnswerError("a body that cannot be unpacked", status=0)
        kind, reason = kind_and_reason(error, _kind_of(error))
        if self._proxy and isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and kind != "tls":
            return UnreachableError("proxy", redact(f"{self._proxy}: {reason}", secrets))
        return UnreachableError(kind, redact(reason, secrets))


class _Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class _TooLargeError(Exception):
    """More has come than is read of this kind of call."""

    def __init__(self, status: int, largest: int) -> None:
        super().__init__()
        self.status, self.largest = status, largest


class _TooSlowError(Exception):
    """Less has come than any network brings."""


def _is_file(reply: _Reply) -> bool:
    answer = Answer(reply.status, reply.headers)
    return 200 <= reply.status < 300 and not answer.is_html and answer.content_type != "application/json"


class _Unpacked:
    """Unpacks a body a megabyte at a time, so that one that unpacks to very much is met on the way."""

    def __init__(self, encoding: str) -> None:
        names = [
            name for part in encoding.lower().split(",") if (name := part.strip()) not in {"", "identity"}
        ]
        if len(names) > 1 or not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise zlib.error
        # 32 takes both headers, that of gzip and that of zlib.
        self._packer = zlib.decompressobj(32 + zlib.MAX_WBITS) if names else None

    @property
    def is_packed(self) -> bool:
        """Whether there is anything to unpack."""
        return self._packer is not None

    @property
    def is_complete(self) -> bool:
        """Whether the end has come."""
        return self._packer is None or self._packer.eof

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """What ``raw`` holds. Raises zlib.error."""
        if self._packer is None:
            yield raw
            return
        while raw and not self._packer.eof:
            yield self._packer.decompress(raw, MEGABYTE)
            raw = self._packer.unconsumed_tail


class _Trail:
    """What happened on the connection: whether it was an old one that the service had closed meanwhile."""

    def __init__(self) -> None:
        self.connected = False
        self.answered = False

    async def __call__(self, name: str, _info: Mapping[str, object]) -> None:
        self.connected = self.connected or name.startswith("connection.connect_")
        self.answered = self.answered or name.endswith("receive_response_headers.complete")

    @property
    def was_stale(self) -> bool:
        return not self.connected and not self.answered


def _proxy_of(url: httpx.URL) -> str:
    """The proxy of the environment for this address, without user and password; empty where there is none."""
    if is_loopback(url.host) or proxy_bypass(url.host):
        return ""
    found = getproxies()
    return bare_url(found.get(url.scheme) or found.get("all") or "").rstrip("/")


def _http_client(url: httpx.URL, wire: Wire | None) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            transport=wire,
            verify=_trust(url),
            trust_env=not is_loopback(url.host),
            limits=httpx.Limits(
                max_connections=100, max_keepalive_connections=20, keepalive_expiry=_IDLE_SECONDS
            ),
            follow_redirects=False,  # a token must not be carried elsewhere
            headers={"user-agent": "cdb-desktop", "accept-encoding": "gzip, deflate"},
        )
    except (ImportError, ValueError, httpx.InvalidURL):
        pass
    raise UnreachableError("proxy", "the proxy of the environment is of a kind that is not supported")


def _trust(url: httpx.URL) -> ssl.SSLContext | bool:
    """The system's certificates; without TLS nothing is loaded, which would take 50 ms."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.scheme == "https" else False


def _checked(base_url: str) -> httpx.URL:
    reason = "the address must begin with http:// or https:// and name a host"
    try:
        url = httpx.URL(base_url.strip())
        host, port = url.host, url.port  # which are read only now
        if port is not None and not 0 < port <= _LAST_PORT:
            reason = "the port must be a number from 1 to 65535"
        elif url.scheme in {"http", "https"} and host and ("%" not in host or ":" in host):
            return url
    except httpx.InvalidURL as error:
        if "port" in str(error).lower():
            reason = "the port must be a number from 1 to 65535"
        elif "IDNA" in str(error):
            reason = "no host can have this name"
    except ValueError:  # what IDNA says of a name that it cannot decode
        reason = "no host can have this name"
    raise UnreachableError("address", reason)


@cache
def _cut_off() -> tuple[type[Exception], ...]:
    return httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError


@cache
def _failures() -> tuple[type[Exception], ...]:
    own = (_TooLargeError, _TooSlowError, zlib.error)
    return (*own, httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError, UnicodeError, OverflowError)


def _kind_of(error: Exception) -> UnreachableKind:
    kinds: tuple[tuple[type[Exception] | tuple[type[Exception], ...], UnreachableKind], ...] = (
        (httpx.ConnectTimeout, "timeout"),
        (httpx.ProxyError, "proxy"),
        ((httpx.InvalidURL, httpx.UnsupportedProtocol), "address"),
        (_cut_off(), "disconnected"),
    )
    return next((kind for classes, kind in kinds if isinstance(error, classes)), "network")


def _silence_url_logs() -> None:
    """httpx logs whole URLs at INFO, and the token stands in them; a filter holds against any later level."""
    logging.getLogger("httpx").addFilter(_only_warnings)


def _only_warnings(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


def _note(request: Request, result: _Reply | Exception, seconds: float) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    told = "&".join(f"{name}={value}" for name, value in request.query if name in _HARMLESS)
    outcome = result.status if isinstance(result, _Reply) else type(result).__name__
    address = f"/{request.path}{'?' if told else ''}{told}"
    _log.debug("%s %s -> %s, %.0f ms", request.method, address, outcome, seconds * 1000)


def load_libraries() -> None:
    """Imports what the first call would import, which takes 0.1 s. A window calls this on a thread.

    Nothing else may use this module meanwhile, except this function, on any number of threads.
    """
    # A lazy module is loaded by its first use, and a second thread would see it incomplete.
    with _LOADING:
        _ = httpx.__doc__, truststore.__doc__
        for name in _LOADED_BY_A_CALL:
            # If one is missing, the call reports it.
            with suppress(ImportError):
                importlib.import_module(name)
