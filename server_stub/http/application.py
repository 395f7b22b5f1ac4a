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
from server_stub.foundation.masking import hide_secrets
from server_stub.http.calls import Answer, Services
from server_stub.http.dispatch import Dispatch
from server_stub.http.endpoint import MAX_BODY_BYTES, Endpoint
from server_stub.http.exchange import HungUpError, RequestBody, hosts_of, put_together, send_body, taken_apart
from server_stub.http.host_check import HostNames
from server_stub.http.requests import MAX_FORM_BYTES, is_form
from server_stub.http.routes import ENDPOINTS
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


def create_app(services: Services, hosts: HostNames | None = None) -> Router:
    """The whole interface on the given services; `hosts` are the names under which it may be called."""
    return _Application(services, hosts)


def _paths() -> Paths[dict[str, Endpoint]]:
    """Every path of the interface, and at each its methods."""
    paths: Paths[dict[str, Endpoint]] = Paths()
    for endpoint in ENDPOINTS:
        for prefix in _PREFIXES:
            paths.at(prefix + endpoint.path, dict)[endpoint.method] = endpoint
    return paths


class _Application(Router):
    """Answers whatever is asked and whatever goes wrong by itself (§1); Starlette starts and ends it."""

    def __init__(self, services: Services, hosts: HostNames | None) -> None:
        super().__init__(lifespan=self._life)
        self._rooms = services
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
        await body.read(min(most, MAX_BODY_BYTES))
        async with nullcontext() if body.is_within(MAX_BODY_BYTES) else self._large:
            await body.read(most)
            too_large = None if body.is_within(most) else most
            return await self._in_thread(call, partial(call.answer, body, too_large))

    async def _in_thread(self, call: _CallAt, handle: Callable[[], _Answered]) -> _Answered:
        if call.is_at_once:
            with self._rooms.database.shared_snapshot():
                return handle()
        pool = self._drawing if call.is_drawn else self._pool
        return await asyncio.get_running_loop().run_in_executor(pool, handle)


class _CallAt(msgspec.Struct, frozen=True):
    """One request on its way to the call that it is for."""

    services: Services
    scope: Scope
    methods: Mapping[str, Endpoint]
    texts: Mapping[str, str]

    @property
    def endpoint(self) -> Endpoint | None:
        """The call, None where there is none."""
        return self.methods.get(self.scope["method"])

    @property
    def is_at_once(self) -> bool:
        """Whether it is handled on the event loop."""
        return self.endpoint is not None and self.endpoint.on_event_loop

    @property
    def is_drawn(self) -> bool:
        """Whether a picture is picture_formats."""
        if self.endpoint is None or not self.endpoint.picture_formats:
            return False
        return any(
            name == "format" and value in self.endpoint.picture_formats
            for name, value in taken_apart(self.scope, b"").query
        )

    def most_bytes(self, content_type: str) -> int:
        """How large the body may be."""
        most = self.endpoint.most_bytes if self.endpoint else MAX_BODY_BYTES
        return min(most, MAX_FORM_BYTES) if is_form(content_type) else most

    def answer(self, body: RequestBody, too_large: int | None = None) -> _Outgoing:
        """The answer; `too_large` is the size above which the body was not read."""
        content = b"" if too_large is not None else body.taken()
        return self._outgoing(self._handling(content, too_large), Dispatch.answer)

    def refuse(self, error: ContractError) -> _Outgoing:
        """The answer to a request that is not even looked at."""
        return self._outgoing(self._handling(), lambda handling: handling.refused(error))

    def refusal(self) -> _Outgoing | None:
        """The answer where token or right are missing, so that the body is not read."""
        handling = self._handling()
        with hide_secrets(*handling.incoming.secrets):
            refused = handling.refusal()
        return None if refused is None else self._outgoing(handling, lambda _: refused)

    def _handling(self, body: bytes = b"", too_large: int | None = None) -> Dispatch:
        incoming = taken_apart(self.scope, body)
        return Dispatch(self.services, self.methods, incoming, self.texts, too_large)

    def _outgoing(self, handling: Dispatch, handle: Callable[[Dispatch], Answer]) -> _Outgoing:
        began, incoming = time.perf_counter(), handling.incoming
        with hide_secrets(*incoming.secrets):
            answer = handle(handling)
            start, body = put_together(answer, _schema_version(self.services), pretty=incoming.pretty)
            _tell(handling, answer.status, time.perf_counter() - began)
        return _Outgoing(start, body, answer.after)


def _tell(handling: Dispatch, status: int, seconds: float) -> None:
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


def _schema_version(services: Services) -> int:
    try:
        return services.schemas.current_version() or 0
    except SQLAlchemyError:
        # Whatever the database has come to, the error object goes out.
        log.exception("The schema version for the header could not be read")
        return 0
