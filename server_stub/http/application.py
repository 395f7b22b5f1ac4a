"""The Starlette application: routes, Host check, limits of bodies, threads in which calls run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from ipaddress import ip_address
from typing import TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route, Router, WebSocketRoute
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from server_stub.foundation.errors import ApiError
from server_stub.http.dialect import Dialect
from server_stub.http.dispatch import Dispatch
from server_stub.http.endpoint import MAX_BODY_BYTES, Endpoint, Workload
from server_stub.http.requests import ApiRequest
from server_stub.http.routes import GENERATION_5
from server_stub.http.services import Services
from server_stub.http.stream import EventStreams, http_scope
from server_stub.schema import MOST_THREADS

# How many calls of each kind run at a time. Kinds do not wait for one another: polls and lists go on while a
# commit holds the lock of all writers.
_THREADS = {
    Workload.POLL: 2,
    Workload.LIST: 3,
    Workload.READ: 2,
    Workload.STATE: 1,
    Workload.WRITE: 3,
    Workload.HEAVY: 2,
    Workload.DRAWING: MOST_THREADS,
}
# How much of a body is read before token and right are checked.
_SMALL_BYTES = 64 << 10
# How many bodies above the usual limit are read and handled at a time.
_LARGE_AT_ONCE = 2

_T = TypeVar("_T")


def create_app(services: Services, hosts: HostNames | None = None, dialect: Dialect = GENERATION_5) -> Router:
    """Returns the application on the given services; `hosts` are the names by which it may be called."""
    handler = _RequestHandler(services, dialect, hosts)
    paths: dict[str, dict[str, Endpoint]] = {}
    for endpoint in dialect.endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    resources = {path: _Resource(handler, methods) for path, methods in paths.items()}
    for path, methods in paths.items():
        bare = path.rpartition("/{")[0]
        is_fixed = path.endswith("}") and "{" not in bare
        if is_fixed and not methods.keys() <= paths.get(bare, {}).keys():
            resources.setdefault(bare, _Resource(handler, {}, path))
            resources[f"{bare}/"] = _Resource(handler, {}, path)
    elsewhere = {each.path: each.prefixes for each in dialect.endpoints if each.prefixes is not None}
    routes = [
        Route(prefix + path, resource)
        for path, resource in resources.items()
        for prefix in elsewhere.get(path, dialect.prefixes)
    ]
    streams = [
        WebSocketRoute(prefix + dialect.stream.endpoint.path, EventStreams(services, dialect.stream, handler))
        for prefix in dialect.prefixes
        if dialect.stream is not None
    ]
    return Router(
        [*routes, *streams],
        redirect_slashes=False,
        default=_Resource(handler, {}),
        lifespan=lambda _: handler.lifespan(),
    )


class _Resource:
    """The endpoints at one path as an ASGI application; an unknown or incomplete path has none."""

    def __init__(
        self, handler: _RequestHandler, methods: Mapping[str, Endpoint], whole_path: str | None = None
    ) -> None:
        self._handler = handler
        self._methods = methods
        self._whole_path = whole_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # There is no stream here, and no call is made over one.
            request = self._handler.request(http_scope(scope), receive)
            response = await self._handler.respond(request, {}, None)
            await WebSocket(scope, receive, send).send_denial_response(response)
            return
        request = self._handler.request(scope, receive)
        # Starlette's patterns end with `$`, which also matches before a line break at the end of a path,
        # unless the break belongs to a parameter.
        parameters = scope.get("path_params", {}).values()
        is_unknown = scope["path"].endswith("\n") and not any(str(one).endswith("\n") for one in parameters)
        methods = {} if is_unknown else self._methods
        whole_path = None if is_unknown else self._whole_path
        try:
            response = await self._handler.respond(request, methods, whole_path)
        except ClientDisconnect:
            return  # The client has disconnected.
        announced = request.announced_bytes
        if request.is_complete or (announced is not None and announced <= _SMALL_BYTES):
            await response(scope, receive, send)
        else:
            await _send_and_close(response, request, send)


async def _send_and_close(response: Response, request: ApiRequest, send: Send) -> None:
    """Answers before all of a large body has arrived, and closes the connection after the rest of it."""

    async def send_before_rest(message: Message) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            await send({**message, "more_body": True})
            await request.drop_rest()
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    response.headers["connection"] = "close"
    await response(request.scope, request.receive, send_before_rest)


class _RequestHandler:
    """Reads as much of a request as its call may need, and runs the call in the right thread."""

    def __init__(self, services: Services, dialect: Dialect, hosts: HostNames | None) -> None:
        self._services = services
        self._dialect = dialect
        self._hosts = hosts
        self._threads = {
            workload: ThreadPoolExecutor(count, thread_name_prefix=workload.name.lower())
            for workload, count in _THREADS.items()
        }
        self._large_bodies = asyncio.Semaphore(_LARGE_AT_ONCE)

    def request(self, scope: Scope, receive: Receive) -> ApiRequest:
        """A request, with the token where the dialect has it."""
        return ApiRequest(scope, receive, self._dialect.read_token)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Ends the threads with the application."""
        yield
        for threads in self._threads.values():
            threads.shutdown()

    async def respond(
        self, request: ApiRequest, methods: Mapping[str, Endpoint], whole_path: str | None
    ) -> Response:
        """Answers a request; checks token and right before it reads more of a body than a little (wire §1).

        Raises ClientDisconnect.
        """
        dispatch = Dispatch(self._services, self._dialect, methods, request, whole_path)
        if (error := self._host_error(request)) is not None:
            return await self._run(dispatch, partial(dispatch.refuse, error))
        limit = dispatch.body_limit
        await request.read(min(limit, _SMALL_BYTES))
        if request.fits(limit):
            return await self._run(dispatch, dispatch.respond)
        if (request.announced_bytes or len(request.content)) > limit:
            return await self._run(dispatch, dispatch.refuse_body)
        if (refusal := await self._run(dispatch, dispatch.refuse_access)) is not None:
            return refusal
        await request.read(min(limit, MAX_BODY_BYTES))
        async with nullcontext() if request.fits(MAX_BODY_BYTES) else self._large_bodies:
            await request.read(limit)
            finish = dispatch.respond if request.fits(limit) else dispatch.refuse_body
            return await self._run(dispatch, finish)

    async def refuse_stream(self, request: ApiRequest, endpoint: Endpoint) -> Response | None:
        """Answers a request for a stream that is not for this server or lacks a valid token."""
        dispatch = Dispatch(self._services, self._dialect, {"GET": endpoint}, request)
        if (error := self._host_error(request)) is not None:
            return await self._run(dispatch, partial(dispatch.refuse, error))
        return await self._run(dispatch, dispatch.refuse_access)

    async def read(self, step: Callable[[], _T]) -> _T:
        """Runs a read of new events where polls run."""
        return await self._run_as(Workload.POLL, step)

    def _host_error(self, request: ApiRequest) -> ApiError | None:
        if self._hosts is None:
            return None
        return self._hosts.refusal(request.headers.getlist("host"), request.scope["http_version"])

    async def _run(self, dispatch: Dispatch, step: Callable[[], _T]) -> _T:
        return await self._run_as(dispatch.workload, step)

    async def _run_as(self, workload: Workload, step: Callable[[], _T]) -> _T:
        if workload is Workload.POLL and self._services.database.is_sqlite:
            # No reader waits for a writer there, and a switch to a thread would take longer than the read.
            with self._services.database.shared_snapshot():
                return step()
        return await asyncio.get_running_loop().run_in_executor(self._threads[workload], step)


HOST_NAME = re.compile(r"\[[0-9A-Fa-f:.]+\]|[^\[\]:/@\s]+", re.ASCII)
# A name or an address, an IPv6 address in brackets, then perhaps a port.
_HOST = re.compile(rf"(?P<name>{HOST_NAME.pattern})(:\d*)?", re.ASCII)
_SHOWN = 100


class HostNames:
    """The names under which a server on a loopback address may be called.

    A web page may have its own name lead to this machine (DNS rebinding): the browser then takes what the
    server answers for the page's own. But the request names the host, so that it can be refused.
    """

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        self._allowed = frozenset(_normal(name) for name in allowed)

    def refusal(self, named: Sequence[str], version: str) -> ApiError | None:
        """The error where a request of this version of HTTP, with these `Host` headers, is for another name.

        A request without `Host` is taken where HTTP allows that, in version 1.0: no browser sends such a one.
        """
        if not named and version == "1.0":
            return None
        if len(named) != 1:
            return ApiError("generic", "A request names exactly one Host.")
        if self._is_allowed(named[0]):
            return None
        return ApiError(
            "generic",
            f"This server is not called {named[0][:_SHOWN]!r}: it listens on this machine only. "
            "Start it with --allow-host NAME to let it be called by another name.",
        )

    def _is_allowed(self, named: str) -> bool:
        found = _HOST.fullmatch(named)
        if found is None:
            return False
        name = _normal(found["name"])
        return name in self._allowed or name.endswith(".localhost") or is_loopback(name.strip("[]"))


def _normal(name: str) -> str:
    return name.lower().removesuffix(".")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host; a name other than localhost may lead anywhere."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
