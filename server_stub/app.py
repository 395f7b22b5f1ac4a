"""The ASGI application: routes calls to handlers, checks session and right, turns errors into answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.types import Receive, Scope, Send

from server_stub.accounts import Session, allows
from server_stub.api import ROUTES, Answer, Call, Incoming, Rooms, Route
from server_stub.api.call import Access
from server_stub.api.faults import report_fault
from server_stub.api.instance import API_VERSION
from server_stub.api.parameters import read_query
from server_stub.errors import ApiError, ContractError, ServerError, UserError

log = logging.getLogger(__name__)

# The contract's prefix and the alias that real clients use (wire §1).
_PREFIXES = ("/api/v1", "/api")
_THREADS = 4
_MOST_BYTES = 256 << 20


def create_app(rooms: Rooms) -> Starlette:
    """The whole interface on the given rooms."""
    paths: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = route

    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        pool.shutdown()

    routes = [
        StarletteRoute(prefix + path, _Endpoint(rooms, methods, pool))
        for prefix in _PREFIXES
        for path, methods in paths.items()
    ]
    unknown = StarletteRoute("/{path:path}", _Endpoint(rooms, {}, pool))
    return Starlette(routes=[*routes, unknown], lifespan=lifespan)


class _Endpoint:
    """All methods of one path."""

    def __init__(self, rooms: Rooms, methods: Mapping[str, Route], pool: Executor) -> None:
        self._rooms = rooms
        self._methods = methods
        self._pool = pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._pool, self._answered, request, body)
        await answer(scope, receive, send)

    def _answered(self, request: Request, body: bytes) -> Response:
        pairs = parse_qsl(request.url.query, keep_blank_values=True)
        pretty = all(value not in {"0", "false"} for name, value in pairs if name == "pretty")
        incoming = _incoming(request, pairs, body)
        try:
            answer = self._handled(incoming, request.path_params)
        except ContractError as error:
            answer = _refused(self._rooms, incoming, error)
        except SQLAlchemyError as error:
            answer = _refused(self._rooms, incoming, _as_server_error("database", error))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is answered by an error object (§1)
            answer = _refused(self._rooms, incoming, _as_server_error("generic", error))
        return _response(self._rooms, answer, pretty=pretty)

    def _handled(self, incoming: Incoming, path: Mapping[str, str]) -> Answer:
        route = self._methods.get(incoming.method)
        if route is None:
            raise _no_such_call(incoming, self._methods)
        if len(incoming.body) > _MOST_BYTES:
            raise ApiError("invalid_content", f"The body is larger than {_MOST_BYTES} bytes.")
        found = _admitted(self._rooms, route, incoming)
        query = read_query(
            route.parameters, _checked_here(route, incoming), ignores_unknown=route.ignores_unknown
        )
        return route.handler(Call(self._rooms, incoming, path, query, found))


def _checked_here(route: Route, incoming: Incoming) -> tuple[tuple[str, str], ...]:
    """The query; a deletion by ids refuses all of it by itself (§4.5)."""
    by_ids = route.method == "DELETE" and incoming.body.strip()
    return () if by_ids else incoming.query


def _incoming(request: Request, pairs: list[tuple[str, str]], body: bytes) -> Incoming:
    token = request.headers.get("x-easydb-token")
    token = next((value for name, value in pairs if name == "token"), token)
    return Incoming(
        request.method,
        request.url.path,
        tuple(pair for pair in pairs if pair[0] not in {"token", "pretty"}),
        body,
        request.headers.get("content-type", ""),
        token,
        request.client.host if request.client else None,
    )


def _no_such_call(incoming: Incoming, methods: Mapping[str, Route]) -> ApiError:
    if methods:
        known = ", ".join(methods)
        return ApiError("invalid_request_method", f"{incoming.path} takes {known}, not {incoming.method}.")
    return ApiError("invalid_api", f"There is no call {incoming.method} {incoming.path}.")


def _admitted(rooms: Rooms, route: Route, incoming: Incoming) -> Session | None:
    """Token, then right (wire §1: order of checks)."""
    if incoming.token is None:
        if route.access is Access.ANYBODY:
            return None
        raise UserError("not_authenticated", status=route.refusal)
    try:
        with rooms.database.read() as connection:
            found = rooms.sessions.find(connection, incoming.token)
    except UserError as error:
        error.status = route.refusal
        raise
    if route.access is Access.SIGNED_IN and found.user is None:
        raise UserError("not_authenticated", status=route.refusal)
    if route.right is not None and (found.user is None or not allows(found.user.rights, route.right)):
        raise UserError("no_system_right", status=route.refusal, right=route.right)
    if not route.path.startswith("/event/poll"):
        rooms.sessions.touch(found)  # polling does not keep a session alive (wire §2)
    return found


def _as_server_error(name: str, error: Exception) -> ServerError:
    wrapped = ServerError(name, f"{type(error).__name__}: {error}".partition("\n")[0])
    wrapped.__cause__ = error
    return wrapped


def _refused(rooms: Rooms, incoming: Incoming, error: ContractError) -> Answer:
    uuid = report_fault(rooms, incoming, error) if isinstance(error, ServerError) else None
    return Answer(msgspec.json.encode(error.to_object(uuid)), status=error.status)


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
