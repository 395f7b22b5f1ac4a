"""The ASGI application: HTTP requests to calls, answers to HTTP responses, a line in the log for each."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.routing import Router
from starlette.types import Message, Receive, Scope, Send

from server_stub.api import ROUTES, Handling, Rooms, Route
from server_stub.exchange import put_together, read_body, taken_apart
from server_stub.logs import hiding
from server_stub.routing import Paths

log = logging.getLogger(__name__)

# The contract's prefix and the alias that real clients use (wire §1).
_PREFIXES = ("/api/v1", "/api")
_THREADS = 4

# The messages of an answer, and what is to be done once they are sent.
_Handled = tuple[tuple[Message, ...], Callable[[], object] | None]


def create_app(rooms: Rooms) -> Router:
    """The whole interface on the given rooms."""
    return _Application(rooms)


def _paths() -> Paths[dict[str, Route]]:
    """Every path of the interface, and at each its methods."""
    paths: Paths[dict[str, Route]] = Paths()
    for route in ROUTES:
        for prefix in _PREFIXES:
            paths.at(prefix + route.path, dict)[route.method] = route
    return paths


class _Application(Router):
    """Answers whatever is asked and whatever goes wrong by itself (§1); Starlette starts and ends it."""

    def __init__(self, rooms: Rooms) -> None:
        super().__init__(lifespan=self._life)
        self._rooms = rooms
        self._paths = _paths()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")

    @asynccontextmanager
    async def _life(self, _: Router) -> AsyncIterator[None]:
        yield
        self._pool.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
        elif (body := await read_body(receive)) is not None:  # Else nobody is left to answer.
            messages, after = await self._handled(scope, body)
            for message in messages:
                await send(message)
            if after is not None:
                await run_in_threadpool(after)

    async def _handled(self, scope: Scope, body: bytes) -> _Handled:
        methods, texts = self._paths.find(scope["path"])
        methods = methods or {}
        route = methods.get(scope["method"])
        if route is not None and route.at_once:
            with self._rooms.database.one_view():
                return self._answered(scope, body, methods, texts)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._answered, scope, body, methods, texts)

    def _answered(
        self, scope: Scope, body: bytes, methods: Mapping[str, Route], texts: Mapping[str, str]
    ) -> _Handled:
        began = time.perf_counter()
        incoming = taken_apart(scope, body)
        handling = Handling(self._rooms, methods, incoming, texts)
        with hiding(*incoming.secrets):
            answer = handling.answer()
            messages = put_together(answer, _schema_version(self._rooms), pretty=incoming.pretty)
            _tell(handling, answer.status, time.perf_counter() - began)
        return messages, answer.after


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
