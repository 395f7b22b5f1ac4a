"""The ASGI application: HTTP requests to calls, answers to HTTP responses, a line in the log for each."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qsl

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from server_stub.api import ROUTES, Answer, Handling, Incoming, Rooms, Route
from server_stub.api.bodies import first_token, form_token, secrets_in
from server_stub.api.handling import MOST_BYTES
from server_stub.api.instance import API_VERSION
from server_stub.logs import hiding

log = logging.getLogger(__name__)

# The contract's prefix and the alias that real clients use (wire §1).
_PREFIXES = ("/api/v1", "/api")
_THREADS = 4


def create_app(rooms: Rooms) -> Router:
    """The whole interface on the given rooms."""
    paths: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = route

    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")

    @asynccontextmanager
    async def lifespan(_: Router) -> AsyncIterator[None]:
        yield
        pool.shutdown()

    routes = [
        StarletteRoute(prefix + path, _Endpoint(rooms, methods, pool))
        for prefix in _PREFIXES
        for path, methods in sorted(paths.items(), key=_turn)
    ]
    # An endpoint answers whatever goes wrong by itself (§1): nothing is needed around the router.
    nowhere = _Endpoint(rooms, {}, pool)
    return Router(routes=routes, redirect_slashes=False, default=nowhere, lifespan=lifespan)


def _turn(entry: tuple[str, Mapping[str, Route]]) -> bool:
    """Paths are tried one after another: those that are asked for all the time come first."""
    return not any(route.at_once for route in entry[1].values())


class _Endpoint:
    """All methods of one path."""

    def __init__(self, rooms: Rooms, methods: Mapping[str, Route], pool: Executor) -> None:
        self._rooms = rooms
        self._methods = methods
        self._pool = pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            body = await _body(request)
        except ClientDisconnect:
            return  # Nobody is left to answer.
        route = self._methods.get(request.method)
        if route is not None and route.at_once:
            with self._rooms.database.one_view():
                answer = self._answered(request, body)
        else:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._pool, self._answered, request, body)
        await answer(scope, receive, send)

    def _answered(self, request: Request, body: bytes) -> Response:
        began = time.perf_counter()
        # Bytes that are no UTF-8 are carried along, for the parameter that holds them to be named.
        pairs = parse_qsl(
            request.scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="surrogateescape"
        )
        pretty = all(value not in {"0", "false"} for name, value in pairs if name == "pretty")
        incoming = _incoming(request, pairs, body)
        handling = Handling(self._rooms, self._methods, incoming, request.scope.get("path_params", {}))
        with hiding(*secrets_in(incoming)):
            response = _response(self._rooms, handling.answer(), pretty=pretty)
            _tell(handling, response.status_code, time.perf_counter() - began)
        return response


async def _body(request: Request) -> bytes:
    """The body; of one that is refused for its size no more than that takes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            break
    return bytes(body)


def _incoming(request: Request, pairs: list[tuple[str, str]], body: bytes) -> Incoming:
    incoming = Incoming(
        request.method,
        request.scope["path"],
        tuple(pair for pair in pairs if pair[0] not in {"token", "pretty"}),
        body,
        request.headers.get("content-type", ""),
        first_token(pairs),
        request.client.host if request.client else None,
    )
    if incoming.token is not None:
        return incoming
    return replace(incoming, token=form_token(incoming) or request.headers.get("x-easydb-token") or None)


def _tell(handling: Handling, status: int, seconds: float) -> None:
    """The line in the log: no query, for it may hold secrets; of the session its public reference."""
    if not log.isEnabledFor(logging.INFO):
        return
    fields = {
        "method": handling.incoming.method,
        "path": handling.incoming.path,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "session": handling.found.reference if handling.found else None,
    }
    log.info("answered", extra={"fields": fields})


def _schema_version(rooms: Rooms) -> int:
    try:
        return rooms.schemas.current_version() or 0
    except SQLAlchemyError:
        # Whatever the database has come to, the error object goes out.
        log.exception("The schema version for the header could not be read")
        return 0


def _response(rooms: Rooms, answer: Answer, *, pretty: bool) -> Response:
    body = answer.body
    if pretty and answer.media_type.startswith("application/json"):
        body = msgspec.json.format(body, indent=1)
    headers = {
        "Cache-Control": "no-cache",
        "X-Easydb-Api-Version": API_VERSION,
        "X-Easydb-User-Schema-Version": str(_schema_version(rooms)),
    }
    if answer.filename is not None:
        headers["Content-Disposition"] = f'attachment; filename="{answer.filename}"'
    after = BackgroundTask(answer.after) if answer.after else None
    return Response(body, answer.status, headers, answer.media_type, after)
