"""Carries requests over HTTP and brings back answers. The one module that knows httpx, not what they mean."""

from __future__ import annotations

import importlib
import logging
import ssl
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, urlencode

from cdb_desktop.client.errors import (
    AnswerError,
    ClientError,
    SlowAnswerError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.client.redaction import bare_url, redact
from cdb_desktop.client.unreachable import is_loopback, kind_and_reason
from cdb_desktop.client.wire import Answer, Request
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


class Transport:
    """Sends requests to one service; the token is added here and shown nowhere."""

    def __init__(self, base_url: str, *, timeout: float, wire: Wire | None = None) -> None:
        url = _checked(base_url)
        _silence_url_logs()
        self.address = bare_url(str(url)).rstrip("/")
        self._base = str(url.copy_with(query=None, fragment=None)).rstrip("/")
        self._timeout = timeout
        self._http = _http_client(url, wire)

    async def close(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def send(self, request: Request, token: str | None) -> Answer:
        """The answer of whatever status. Raises UnreachableError, SlowAnswerError, AnswerError."""
        secrets = (*request.secrets, *((token,) if token and request.signed else ()))
        started = time.perf_counter()
        result = await self._exchange(request, token if request.signed else None)
        _note(request, result, time.perf_counter() - started)
        if isinstance(result, httpx.Response):
            return Answer(result.status_code, dict(result.headers), result.content, secrets)
        # Outside of any except block: httpx's own errors hold the request and with it the token.
        raise self._translated(result, request, secrets)

    async def _exchange(self, request: Request, token: str | None) -> httpx.Response | Exception:
        trail = _Trail()
        result = await self._attempt(request, token, trail)
        if isinstance(result, _cut_off()) and request.method == "GET" and trail.was_stale:
            result = await self._attempt(request, token, _Trail())
        return result

    async def _attempt(
        self, request: Request, token: str | None, trail: _Trail
    ) -> httpx.Response | Exception:
        seconds = self._timeout * request.patience
        try:
            return await self._http.request(
                request.method,
                self._url(request, token),
                content=request.body,
                headers={"content-type": request.content_type} if request.content_type else None,
                timeout=httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
                extensions={"trace": trail},
            )
        except _failures() as error:
            return error

    def _url(self, request: Request, token: str | None) -> str:
        signature = (("token", token),) if token else ()
        query = urlencode((*request.query, *signature, ("pretty", "0")), quote_via=quote)
        return f"{self._base}/{request.path}?{query}"

    def _translated(self, error: Exception, request: Request, secrets: tuple[str, ...]) -> ClientError:
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return SlowAnswerError(self._timeout * request.patience)
        if isinstance(error, httpx.DecodingError):
            return AnswerError("a body that cannot be unpacked", status=0)
        kind, reason = kind_and_reason(error, _kind_of(error))
        return UnreachableError(kind, redact(reason, secrets))


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
            headers={"user-agent": "cdb-desktop"},
        )
    except (ImportError, ValueError, httpx.InvalidURL):
        pass
    raise UnreachableError("proxy", "the proxy of the environment is of a kind that is not supported")


def _trust(url: httpx.URL) -> ssl.SSLContext | bool:
    """The system's certificates; without TLS nothing is loaded, which would take 50 ms."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.scheme == "https" else False


def _checked(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url.strip())
        if url.scheme in {"http", "https"} and url.host:
            return url
    except httpx.InvalidURL:
        pass
    raise UnreachableError("address", "the address must begin with http:// or https:// and name a host")


@cache
def _cut_off() -> tuple[type[Exception], ...]:
    return httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError


@cache
def _failures() -> tuple[type[Exception], ...]:
    return httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError, OverflowError


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


def _note(request: Request, result: httpx.Response | Exception, seconds: float) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    told = "&".join(f"{name}={value}" for name, value in request.query if name in _HARMLESS)
    outcome = result.status_code if isinstance(result, httpx.Response) else type(result).__name__
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
