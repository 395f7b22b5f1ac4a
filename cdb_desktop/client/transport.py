"""Sends requests over HTTP. The only module that uses httpx."""

from __future__ import annotations

import asyncio
import importlib
import logging
import math
import re
import socket
import ssl
import sys
import time
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from copy import copy
from dataclasses import replace
from functools import cache
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

from cdb_desktop.client.errors import (
    AddressProblem,
    AnswerError,
    CertificateError,
    ClientCertificateError,
    ClientError,
    ProxyLoginError,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    UnreachableKind,
)
from cdb_desktop.client.network import (
    Certificate,
    NetworkOptions,
    ProxyLogin,
    apply_options,
    certificate_problem,
    is_client_certificate_alert,
    peer_certificates,
    pinning_context,
    proxy_for,
    unverified_context,
)
from cdb_desktop.client.redaction import bare_url, known_secrets, redact
from cdb_desktop.client.request import MEGABYTE, Request, Response
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import httpx
    import truststore
else:
    # Importing them takes a third of the time to the first window.
    httpx, truststore = lazy("httpx"), lazy("truststore")
    # The command line of httpx would import rich and others if they are installed.
    sys.modules.setdefault("httpx._main", None)

Wire: TypeAlias = "httpx.AsyncBaseTransport"

_log = logging.getLogger(__name__)
_LOADING = Lock()
_HARMLESS = frozenset({"limit", "offset", "sort", "format", "skip_count", "reindex_generate_events"})
_LOADED_BY_A_CALL = ("httpcore", "anyio._backends._asyncio")
_CONNECT_SECONDS = 10.0
# Common servers close connections after 5 idle seconds; closing them earlier avoids races.
_IDLE_SECONDS = 4.0
_LAST_PORT = 65535
_BAD_REQUEST, _PROXY_LOGIN = 400, 407
_WANTS_CERTIFICATE = b"SSL certificate"  # of nginx if the client certificate is missing or wrong
_METHOD = re.compile(rb"(?:^|,)\s*([A-Za-z]+)(?=\s|,|$)")
_DEADLINE = 10.0  # factor of the timeout of a step, for a whole call
_ONE_AT_A_TIME = 8 * MEGABYTE  # bytes; larger responses are read one at a time
_BOMB, _BOMB_RATIO = 4 * MEGABYTE, 250  # unpacked bytes, and times the size; JSON packs to a tenth or less
_SLOWEST = 1000.0  # bytes a second; slower responses count as timed out

_DISCONNECTED = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, EOFError)
_KINDS: tuple[tuple[UnreachableKind, tuple[type[BaseException], ...]], ...] = (
    ("tls", (ssl.SSLError,)),
    ("dns", (socket.gaierror, UnicodeError)),
    ("refused", (ConnectionRefusedError,)),
    ("disconnected", _DISCONNECTED),
    ("address", (OverflowError,)),
)


class Transport:
    """Sends requests to one service, and adds the token to them."""

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float,
        wire: Wire | None = None,
        network: NetworkOptions | None = None,
    ) -> None:
        """Reads the certificates that ``network`` names. Raises UnreachableError, NetworkOptionsError."""
        url = _checked(base_url)
        # Filters the logs of httpx, which contain whole URLs with the token at INFO.
        logging.getLogger("httpx").addFilter(_only_warnings)
        self.address = bare_url(str(url)).rstrip("/")
        self._base = str(url.copy_with(query=None, fragment=None)).rstrip("/")
        self._timeout = timeout
        self._network = network or NetworkOptions()
        known_secrets.update(_secrets_of(self._network))
        self._route = _Route(url, self._network)
        self._large = asyncio.Lock()  # limits the memory for large responses
        self._http = _http_client(self._route, wire, self._network.proxy_login)
        self._replaced: list[httpx.AsyncClient] = []
        self._streams: list[Any] = []  # of all open connections, and of some closed ones

    @property
    def proxy_login(self) -> ProxyLogin | None:
        """The login for the proxy."""
        return self._network.proxy_login

    def use_proxy_login(self, login: ProxyLogin) -> None:
        """Signs in to the proxy with ``login`` from now on."""
        if login == self._network.proxy_login:
            return
        known_secrets.add(login.password)
        self._network = replace(self._network, proxy_login=login)
        self._replaced.append(self._http)  # running calls still use it
        self._http = _http_client(self._route, None, login)

    async def close(self) -> None:
        """Closes all connections, even if it is cancelled."""
        async with AsyncExitStack() as closing:
            # Last those that httpcore has forgotten, because a task was cancelled while it closed them.
            for stream in self._streams:
                closing.push_async_callback(stream.aclose)
            for client in (*self._replaced, self._http):
                closing.push_async_callback(client.aclose)

    async def send(self, request: Request, token: str | None) -> Response:
        """Sends a request and returns the response with any status.

        Raises UnreachableError, ProxyLoginError, SlowAnswerError, AnswerError, TooLargeError.
        """
        secrets = (*request.secrets, *((token,) if token and request.signed else ()))
        started = time.perf_counter()
        result, trail = await self._exchange(request, token if request.signed else None)
        _note(request, result, time.perf_counter() - started)
        if self._is_from_proxy(result, trail):
            raise self._login_error(trail)
        if isinstance(result, _Reply):
            answer = Response(result.status, result.headers, result.body, secrets)
            if answer.status == _BAD_REQUEST and answer.is_html and _WANTS_CERTIFICATE in answer.body:
                is_refused = self._network.certificate is not None
                raise ClientCertificateError(f"HTTP {answer.status}", is_refused=is_refused)
            return answer
        # Outside of any except block: the context of httpx's errors contains the request with the token.
        raise self._translated(result, trail, request, secrets)

    def stream_route(self, path: str) -> StreamRoute:
        """How to open a stream in the way of the calls."""
        route, login = self._route, self._network.proxy_login
        proxy = urlsplit(route.proxy)
        if login is not None:
            user = f"{quote(login.user, safe='')}:{quote(login.password, safe='')}"
            proxy = proxy._replace(netloc=f"{user}@{proxy.netloc.rpartition('@')[2]}")
        elif proxy.username is not None and proxy.password is None:
            user, _, host = proxy.netloc.rpartition("@")
            proxy = proxy._replace(netloc=f"{user}:@{host}")
        context = None if isinstance(route.context, bool) else route.context
        address = f"ws{self._base.removeprefix('http')}/{path}"
        return StreamRoute(address, self._timeout, context, proxy.geturl(), route.proxy_context)

    def unreachable(self, error: Exception) -> UnreachableError:
        """What an error of a connection that was opened by a `StreamRoute` means."""
        return self._unreachable(error, _Trail(), ())

    async def look_at_certificates(self) -> tuple[Certificate, ...]:
        """See ``fetch_certificates``."""
        request, trail = Request("GET", "", signed=False), _LookTrail(self._route)
        client = _http_client(self._route.unverified(), None, self._network.proxy_login)
        result: Exception | None = None
        try:
            built = client.build_request(
                "GET", self._base, timeout=httpx.Timeout(self._timeout), extensions={"trace": trail}
            )
            async with asyncio.timeout(self._timeout):
                await client.send(built)
        except _LookedError:
            return trail.certificates
        except _failures() as error:
            result = error.with_traceback(None)
        finally:
            await trail.close()
            await client.aclose()
        result = result or httpx.RemoteProtocolError("no handshake")
        if self._is_from_proxy(result, trail):
            raise self._login_error(trail)
        raise self._translated(result, trail, request, ())

    async def _exchange(self, request: Request, token: str | None) -> tuple[_Reply | Exception, _Trail]:
        trail = _Trail()
        result = await self._attempt(request, token, trail)
        if isinstance(result, _cut_off()) and request.method == "GET" and trail.was_stale:
            trail = _Trail()
            result = await self._attempt(request, token, trail)
        return result, trail

    async def _attempt(self, request: Request, token: str | None, trail: _Trail) -> _Reply | Exception:
        seconds = self._seconds(request)
        is_complete = False
        try:
            built = self._http.build_request(
                request.method,
                self._url(request, token),
                content=request.body,
                headers=_headers(request, token),
                timeout=httpx.Timeout(seconds, connect=min(seconds or _CONNECT_SECONDS, _CONNECT_SECONDS)),
                extensions={"trace": trail},
            )
            async with asyncio.timeout(None if seconds is None else _DEADLINE * seconds):
                response = await self._http.send(built, stream=True)
                chunks = response.aiter_raw()
                try:
                    reply = await self._read(response, chunks, request, seconds)
                finally:
                    await response.aclose()
                    # Closes the generators below it, which nothing else does.
                    with suppress(Exception):
                        async for _ in chunks:
                            pass
                is_complete = True
                return reply
        except _failures() as error:
            return error.with_traceback(None)  # its frames reference the received data
        finally:
            if trail.stream is not None:
                self._streams = [one for one in self._streams if not _is_closed(one)]
                self._streams.append(trail.stream)
                if not is_complete:
                    await trail.close()

    async def _read(
        self, response: httpx.Response, chunks: AsyncIterator[bytes], request: Request, seconds: float | None
    ) -> _Reply:
        """The unpacked response. Raises _TooLargeError, _TooSlowError, and errors of httpx."""
        unpacked = _Unpacked(response.headers.get("content-encoding", ""))
        reply = _Reply(response.status_code, dict(response.headers), b"")
        into = request.sink if request.sink and _is_file(reply) else None
        largest = request.largest_file if into else request.largest
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) > largest:
            raise _TooLargeError(response.status_code, largest)
        body, size = BytesIO(), 0
        write = into or body.write
        packed, came, since = 0, 0, time.monotonic()
        async with AsyncExitStack() as turn:
            has_turn = False
            async for raw in chunks:
                came += len(raw)
                packed += len(raw)
                for piece in unpacked.pieces(raw):
                    size += len(piece)
                    is_bomb = size > max(_BOMB, _BOMB_RATIO * packed)
                    if is_bomb or size > largest:
                        raise _TooLargeError(response.status_code, largest, is_bomb=is_bomb)
                    write(piece)
                    if unpacked.is_packed:
                        await asyncio.sleep(0)  # little data may unpack to much
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
        """The timeout of each step, None for none."""
        return None if math.isinf(request.timeout_factor) else self._timeout * request.timeout_factor

    def _url(self, request: Request, token: str | None) -> str:
        parameters = list(request.query)
        if not request.bearer:
            parameters += [*((("token", token),) if token else ()), ("pretty", "0")]
        query = urlencode(parameters, quote_via=quote)
        return f"{self._base}/{request.path}{'?' if query else ''}{query}"

    def _translated(
        self, error: Exception, trail: _Trail, request: Request, secrets: tuple[str, ...]
    ) -> ClientError:
        if isinstance(error, _TooLargeError):
            return TooLargeError(error.largest, status=error.status, is_bomb=error.is_bomb)
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            return SlowAnswerError(self._seconds(request) or 0.0)
        if isinstance(error, TimeoutError | _TooSlowError):
            return SlowAnswerError(_DEADLINE * (self._seconds(request) or 0.0))
        if isinstance(error, httpx.DecodingError | zlib.error):
            return AnswerError("corrupt_body", status=0)
        return self._unreachable(error, trail, secrets)

    def _unreachable(self, error: Exception, trail: _Trail, secrets: tuple[str, ...]) -> UnreachableError:
        kind, reason = kind_and_reason(error, _kind_of(error))
        reason = redact(reason, secrets)
        proxy = self._route.proxy_address
        is_connecting = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        if proxy and is_connecting and (kind != "tls" or trail.is_at_proxy):
            return UnreachableError("proxy", redact(f"{proxy}: {reason}", secrets))
        for cause in causes(error):
            if isinstance(cause, ssl.SSLCertVerificationError):
                problem = certificate_problem(cause)
                if self._network.trusted_certificate and problem in {"issuer", "self_signed"}:
                    problem = "changed"
                return CertificateError(problem, reason, self._route.host)
            if isinstance(cause, ssl.SSLError) and is_client_certificate_alert(cause):
                return ClientCertificateError(reason, is_refused=self._network.certificate is not None)
        return UnreachableError(kind, reason)

    def _is_from_proxy(self, result: _Reply | Exception, trail: _Trail) -> bool:
        """Whether the proxy has responded that it requires a login."""
        if isinstance(result, _Reply):
            return self._route.forwards and result.status == _PROXY_LOGIN
        return isinstance(result, httpx.ProxyError) and trail.status == _PROXY_LOGIN

    def _login_error(self, trail: _Trail) -> ProxyLoginError:
        is_refused = self._network.proxy_login is not None or self._route.proxy_has_user
        return ProxyLoginError(self._route.proxy_address, is_refused=is_refused, methods=trail.proxy_methods)


async def fetch_certificates(
    base_url: str, network: NetworkOptions | None = None, seconds: float = 10.0
) -> tuple[Certificate, ...]:
    """The certificates of the service, its own first, whether or not they are trusted.

    They are taken from a handshake in which nothing is verified, after which the connection is closed without
    anything having been sent to the service. Raises UnreachableError, ProxyLoginError, SlowAnswerError.
    """
    # Without client certificate and trusted certificates.
    options = replace(
        network or NetworkOptions(),
        certificate=None,
        authority="",
        trusted_authority="",
        trusted_certificate="",
    )
    transport = Transport(base_url, timeout=seconds, network=options)
    try:
        return await transport.look_at_certificates()
    finally:
        await transport.close()


def _secrets_of(network: NetworkOptions) -> Iterator[str]:
    if network.proxy_login is not None:
        yield network.proxy_login.password
    if network.certificate is not None:
        yield network.certificate.passphrase


class StreamRoute(NamedTuple):
    """The address of a stream, seconds to wait for it, TLS contexts, and the proxy with its login."""

    url: str
    timeout: float
    context: ssl.SSLContext | None
    proxy: str  # empty for none
    proxy_context: ssl.SSLContext | None


class _Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class _TooLargeError(Exception):
    """The response is larger than the limit."""

    def __init__(self, status: int, largest: int, *, is_bomb: bool = False) -> None:
        super().__init__()
        self.status, self.largest, self.is_bomb = status, largest, is_bomb


class _TooSlowError(Exception):
    """The response is slower than any network."""


def _is_file(reply: _Reply) -> bool:
    answer = Response(reply.status, reply.headers)
    return 200 <= reply.status < 300 and not answer.is_html and answer.content_type != "application/json"


class _Unpacked:
    """Unpacks a body in pieces of a megabyte, so that decompression bombs are noticed."""

    def __init__(self, encoding: str) -> None:
        names = [
            name for part in encoding.lower().split(",") if (name := part.strip()) not in {"", "identity"}
        ]
        if len(names) > 1 or not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise zlib.error
        # 32: accepts the headers of gzip and of zlib.
        self._packer = zlib.decompressobj(32 + zlib.MAX_WBITS) if names else None

    @property
    def is_packed(self) -> bool:
        """Whether there is anything to unpack."""
        return self._packer is not None

    @property
    def is_complete(self) -> bool:
        """Whether the response is complete."""
        return self._packer is None or self._packer.eof

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """The unpacked pieces of ``raw``. Raises zlib.error."""
        if self._packer is None:
            yield raw
            return
        while raw and not self._packer.eof:
            yield self._packer.decompress(raw, MEGABYTE)
            raw = self._packer.unconsumed_tail


class _Trail:
    """Trace of a call: whether it used an old connection that the service had closed meanwhile.

    ``stream`` is of a connection that was made for the call; ``status`` and ``proxy_methods`` are of the last
    answer, also of one to CONNECT; ``is_at_proxy``: whether the connection to a proxy was being made.
    """

    def __init__(self) -> None:
        self.stream: Any = None
        self.connected = False
        self.answered = False
        self.is_at_proxy = False
        self.status = 0
        self.proxy_methods: tuple[str, ...] = ()

    async def __call__(self, name: str, info: Mapping[str, Any]) -> None:
        self.connected = self.connected or name.startswith("connection.connect_")
        self.is_at_proxy = name.startswith("connection.")
        if name == "connection.connect_tcp.complete":
            self.stream = info["return_value"]
        if name.endswith("receive_response_headers.complete"):
            self.answered = True
            _version, self.status, _reason, headers, *_ = info["return_value"]
            if self.status == _PROXY_LOGIN:
                self.proxy_methods = _methods(headers)

    @property
    def was_stale(self) -> bool:
        return not self.connected and not self.answered

    async def close(self) -> None:
        """Closes the connection that was made for the call, which may not be in the pool yet."""
        if self.stream is not None:
            await self.stream.aclose()


def _is_closed(stream: Any) -> bool:
    return bool(stream.get_extra_info("socket").fileno() < 0)


def _methods(headers: Sequence[tuple[bytes, bytes]]) -> tuple[str, ...]:
    """The authentication methods of Proxy-Authenticate, such as ``basic``."""
    found = b", ".join(value for name, value in headers if name.lower() == b"proxy-authenticate")
    return tuple(name.decode().lower() for name in _METHOD.findall(found))


class _LookedError(Exception):
    """The handshake has finished."""


class _LookTrail(_Trail):
    """Takes the certificates from the TLS handshake, and ends the call before it is sent."""

    def __init__(self, route: _Route) -> None:
        super().__init__()
        self._event = f"{'proxy' if route.proxy else 'connection'}.start_tls.complete"
        self.certificates: tuple[Certificate, ...] = ()

    async def __call__(self, name: str, info: Mapping[str, Any]) -> None:
        await super().__call__(name, info)
        if name == self._event:
            self.certificates = peer_certificates(info["return_value"].get_extra_info("ssl_object"))
            raise _LookedError


class _Route:
    """The route to the service: the proxy and the TLS contexts."""

    def __init__(self, url: httpx.URL, network: NetworkOptions) -> None:
        """Raises NetworkOptionsError, and UnreachableError for a proxy of an unknown kind."""
        self.host = url.host
        self.proxy = _proxy_of(url, network)
        self.proxy_address = bare_url(self.proxy).rstrip("/")
        self.proxy_has_user = "@" in urlsplit(self.proxy).netloc
        self.forwards = bool(self.proxy) and url.scheme == "http"
        is_secure = url.scheme == "https"
        self.context: ssl.SSLContext | bool = _trust(network) if is_secure else False
        # Client certificate and trusted certificates are for the service, not for the proxy.
        own = NetworkOptions(authority=network.authority)
        self.proxy_context = _trust(own) if self.proxy.startswith("https:") else None

    def unverified(self) -> _Route:
        """The same route without verification of the service's certificate."""
        route = copy(self)
        route.context = unverified_context()
        return route


def _proxy_of(url: httpx.URL, network: NetworkOptions) -> str:
    proxy = proxy_for(str(url), network)
    if proxy and urlsplit(proxy).scheme not in {"http", "https"}:
        raise UnreachableError("proxy", address_problem="proxy_kind")
    return proxy


def _http_client(route: _Route, wire: Wire | None, login: ProxyLogin | None) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            transport=wire,
            verify=route.context,
            proxy=_proxy(route, login) if route.proxy and wire is None else None,
            trust_env=False,
            limits=httpx.Limits(
                max_connections=100, max_keepalive_connections=20, keepalive_expiry=_IDLE_SECONDS
            ),
            follow_redirects=False,  # a token must not be carried elsewhere
            headers={"user-agent": "cdb-desktop", "accept-encoding": "gzip, deflate"},
        )
    except (ImportError, ValueError, httpx.InvalidURL):
        pass
    raise UnreachableError("proxy", address_problem="proxy_kind")


def _proxy(route: _Route, login: ProxyLogin | None) -> httpx.Proxy:
    if login is None:
        return httpx.Proxy(route.proxy, ssl_context=route.proxy_context)
    # httpx would prefer a user in the address.
    auth = (login.user, login.password)
    return httpx.Proxy(route.proxy_address, ssl_context=route.proxy_context, auth=auth)


def _trust(network: NetworkOptions) -> ssl.SSLContext:
    """The TLS context for the system's certificates and those of ``network``. Blocks for up to 50 ms."""
    if network.trusted_certificate:
        # No authorities: this context does not check host names.
        context = pinning_context(network.trusted_certificate)
        network = NetworkOptions(certificate=network.certificate)
    else:
        context = _system_context()(ssl.PROTOCOL_TLS_CLIENT)
    apply_options(context, network)
    return context


@cache
def _system_context() -> type[truststore.SSLContext]:
    class SystemContext(truststore.SSLContext):
        """Reads the system's certificates once; with OpenSSL truststore does it for each connection.

        Windows and macOS use system functions. Reading takes 35 ms, which would block the window.
        """

        def __init__(self, protocol: int) -> None:
            super().__init__(protocol)
            if sys.platform not in {"win32", "darwin"}:
                super().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")

        def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:
            if sys.platform in {"win32", "darwin"}:
                return super().wrap_bio(*given, **named)
            return self._ctx.wrap_bio(*given, **named)

    return SystemContext


def _checked(base_url: str) -> httpx.URL:
    problem: AddressProblem = "scheme"
    try:
        url = httpx.URL(base_url.strip())
        host, port = url.host, url.port  # parsed here
        if port is not None and not 0 < port <= _LAST_PORT:
            problem = "port"
        elif url.scheme in {"http", "https"} and host and ("%" not in host or ":" in host):
            return url
    except httpx.InvalidURL as error:
        if "port" in str(error).lower():
            problem = "port"
        elif "IDNA" in str(error):
            problem = "host"
    except ValueError:  # of IDNA
        problem = "host"
    raise UnreachableError("address", address_problem=problem)


@cache
def _cut_off() -> tuple[type[Exception], ...]:
    return httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError


@cache
def _failures() -> tuple[type[Exception], ...]:
    own = (_TooLargeError, _TooSlowError, zlib.error)
    return (*own, httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError, UnicodeError, OverflowError)


def _headers(request: Request, token: str | None) -> dict[str, str]:
    signed = {"authorization": f"Bearer {token}"} if request.bearer and token else {}
    return {**request.headers, **signed}


def _kind_of(error: Exception) -> UnreachableKind:
    kinds: tuple[tuple[type[Exception] | tuple[type[Exception], ...], UnreachableKind], ...] = (
        (httpx.ConnectTimeout, "timeout"),
        (httpx.ProxyError, "proxy"),
        ((httpx.InvalidURL, httpx.UnsupportedProtocol), "address"),
        (_cut_off(), "disconnected"),
    )
    return next((kind for classes, kind in kinds if isinstance(error, classes)), "network")


def _only_warnings(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


def _note(request: Request, result: _Reply | Exception, seconds: float) -> None:
    if not _log.isEnabledFor(logging.DEBUG):
        return
    query = "&".join(f"{name}={value}" for name, value in request.query if name in _HARMLESS)
    outcome = result.status if isinstance(result, _Reply) else type(result).__name__
    address = f"/{request.path}{'?' if query else ''}{query}"
    _log.debug("%s %s -> %s, %.0f ms", request.method, address, outcome, seconds * 1000)


def load_libraries() -> None:
    """Imports what the first call would import, which takes 0.1 s. To be called in a thread.

    Nothing but this function may use this module meanwhile.
    """
    # A second thread would see an incomplete lazy module.
    with _LOADING:
        _ = httpx.__doc__, truststore.__doc__
        for name in _LOADED_BY_A_CALL:
            # Missing modules are reported by the call.
            with suppress(ImportError):
                importlib.import_module(name)


def kind_and_reason(error: BaseException, otherwise: UnreachableKind) -> tuple[UnreachableKind, str]:
    """The kind of ``error`` and its text, judged by its whole chain of causes."""
    found = list(causes(error))
    for kind, classes in _KINDS:
        for cause in found:
            # SSLWantReadError is no error: a TLS connection waits for more data.
            if isinstance(cause, classes) and not isinstance(cause, ssl.SSLWantReadError):
                return kind, _error_text(cause)
    return otherwise, _error_text(error)


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yields ``error`` and everything in its chain of causes."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        grouped = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        waiting += [cause for cause in (*grouped, one.__cause__, one.__context__) if cause is not None]


def _error_text(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
