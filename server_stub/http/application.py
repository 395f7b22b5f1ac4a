"""The ASGI application: HTTP requests to calls, answers to HTTP responses, a line in the log for each."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import IO, TypeVar

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.routing import Router
from starlette.types import Message, Receive, Scope, Send

from server_stub.foundation.errors import ContractError
from server_stub.foundation.masking import hiding
from server_stub.http.calls import Answer, Rooms
from server_stub.http.dispatch import Handling
from server_stub.http.endpoint import MOST_BODY_BYTES, Route
from server_stub.http.exchange import HungUpError, RequestBody, hosts_of, put_together, send_body, taken_apart
from server_stub.http.host_check import HostNames
from server_stub.http.requests import MOST_FORM_BYTES, is_form
from server_stub.http.routes import ROUTES
from server_stub.http.routing import Paths

log = logging.getLogger(__name__)

# The contract's prefix and the alias that real clients use (wire §1).
_PREFIXES = ("/api/v1", "/api")
_THREADS = 4

# So much of a body is read before token and right are checked.
_SMALL_BYTES = 64 << 10
# So many documents are read and handled at a time that are larger than most bodies may be.
_LARGE_AT_ONCE = 2
_CLOSE = (b"connection", b"close")

_Answered = TypeVar("_Answered")


class _Outgoing(msgspec.Struct, frozen=True):
    """An answer as it is sent: its beginning, its body, and what is done after it."""

    start: Message
    body: bytes | IO[bytes]
    after: Callable[[], object] | None = None


def create_app(rooms: Rooms, hosts: HostNames | None = None) -> Router:
    """The whole interface on the given rooms; `hosts` are the names under which it may be called."""
    return _Application(rooms, hosts)


def _paths() -> Paths[dict[str, Route]]:
    """Every path of the interface, and at each its methods."""
    paths: Paths[dict[str, Route]] = Paths()
    for route in ROUTES:
        for prefix in _PREFIXES:
            paths.at(prefix + route.path, dict)[route.method] = route
    return paths


class _Application(Router):
    """Answers whatever is asked and whatever goes wrong by itself (§1); Starlette starts and ends it."""

    def __init__(self, rooms: Rooms, hosts: HostNames | None) -> None:
        super().__init__(lifespan=self._life)
        self._rooms = rooms
        self._hosts = hosts
        self._paths = _paths()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="call")
        self._drawing = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="drawing")
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)

    @asynccontextmanager
    async def _life(self, _: Router) -> AsyncIterator[None]:
        yield
        self._pool.shutdown()
        self._drawing.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        body = RequestBody(scope, receive)
        with suppress(HungUpError):
            answer = await self._answered(scope, body)
            if not body.is_whole and (body.announced is None or body.announced > _SMALL_BYTES):
                answer.start["headers"].append(_CLOSE)
            await send(answer.start)
            await send_body(send, answer.body)
            if answer.after is not None:
                await run_in_threadpool(answer.after)

    async def _answered(self, scope: Scope, body: RequestBody) -> _Outgoing:
        """Token and right are checked before more of a body is read than a little (wire §1)."""
        methods, texts = self._paths.find(scope["path"])
        call = _CallAt(self._rooms, scope, methods or {}, texts)
        if (
            self._hosts is not None
            and (refused := self._hosts.refusal(hosts_of(scope), scope["http_version"])) is not None
        ):
            return await self._in_thread(call, partial(call.refuse, refused))
        most = call.most_bytes(body.content_type)
        await body.read(min(most, _SMALL_BYTES))
        if body.is_within(most):
            return await self._in_thread(call, partial(call.answer, body))
        if (body.announced or len(body.content)) > most:
            return await self._in_thread(call, partial(call.answer, body, most))
        if (refusal := await self._in_thread(call, call.refusal)) is not None:
            return refusal
        await body.read(min(most, MOST_BODY_BYTES))
        async with nullcontext() if body.is_within(MOST_BODY_BYTES) else self._large:
            await body.read(most)
            too_large = None if body.is_within(most) else most
            return await self._in_thread(call, partial(call.answer, body, too_large))

    async def _in_thread(self, call: _CallAt, handle: Callable[[], _Answered]) -> _Answered:
        if call.is_at_once:
            with self._rooms.database.one_view():
                return handle()
        pool = self._drawing if call.is_drawn else self._pool
        return await asyncio.get_running_loop().run_in_executor(pool, handle)


class _CallAt(msgspec.Struct, frozen=True):
    """One request on its way to the call that it is for."""

    rooms: Rooms
    scope: Scope
    methods: Mapping[str, Route]
    texts: Mapping[str, str]

    @property
    def route(self) -> Route | None:
        """The call, None where there is none."""
        return self.methods.get(self.scope["method"])

    @property
    def is_at_once(self) -> bool:
        """Whether it is handled on the event loop."""
        return self.route is not None and self.route.at_once

    @property
    def is_drawn(self) -> bool:
        """Whether a picture is drawn."""
        if self.route is None or not self.route.drawn:
            return False
        return any(
            name == "format" and value in self.route.drawn
            for name, value in taken_apart(self.scope, b"").query
        )

    def most_bytes(self, content_type: str) -> int:
        """How large the body may be."""
        most = self.route.most_bytes if self.route else MOST_BODY_BYTES
        return min(most, MOST_FORM_BYTES) if is_form(content_type) else most

    def answer(self, body: RequestBody, too_large: int | None = None) -> _Outgoing:
        """The answer; `too_large` is the size above which the body was not read."""
        content = b"" if too_large is not None else body.taken()
        return self._outgoing(self._handling(content, too_large), Handling.answer)

    def refuse(self, error: ContractError) -> _Outgoing:
        """The answer to a request that is not even looked at."""
        return self._outgoing(self._handling(), lambda handling: handling.refused(error))

    def refusal(self) -> _Outgoing | None:
        """The answer where token or right are missing, so that the body is not read."""
        handling = self._handling()
        with hiding(*handling.incoming.secrets):
            refused = handling.refusal()
        return None if refused is None else self._outgoing(handling, lambda _: refused)

    def _handling(self, body: bytes = b"", too_large: int | None = None) -> Handling:
        incoming = taken_apart(self.scope, body)
        return Handling(self.rooms, self.methods, incoming, self.texts, too_large)

    def _outgoing(self, handling: Handling, handle: Callable[[Handling], Answer]) -> _Outgoing:
        began, incoming = time.perf_counter(), handling.incoming
        with hiding(*incoming.secrets):
            answer = handle(handling)
            start, body = put_together(answer, _schema_version(self.rooms), pretty=incoming.pretty)
            _tell(handling, answer.status, time.perf_counter() - began)
        return _Outgoing(start, body, answer.after)


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
