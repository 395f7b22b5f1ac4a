"""The stream of new events: a WebSocket with a text frame for each event that a poll would bring.

A stream remembers a place in the log and nothing else: what a slow reader has not taken yet is still in the
database. A client that takes nothing at all is cut off by the protocol of its connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Protocol, TypeVar

import msgspec
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from server_stub.events import Caller
from server_stub.foundation.errors import ContractError, UserError
from server_stub.foundation.masking import hide_secrets
from server_stub.http.dialect import Stream
from server_stub.http.endpoint import Endpoint
from server_stub.http.requests import ApiRequest
from server_stub.http.services import Services

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.1  # from one look at the counter of events to the next
_CHECK_SECONDS = 5.0  # after which a session is read again although nothing has happened
_AT_ONCE = 100  # events that are read at a time
_SESSION_ENDED, _FAILED = 1008, 1011  # codes of RFC 6455

_T = TypeVar("_T")


class StreamHandler(Protocol):
    """What streams use of the handler of all requests."""

    def request(self, scope: Scope, receive: Receive) -> ApiRequest: ...

    async def refuse_stream(self, request: ApiRequest, endpoint: Endpoint) -> Response | None: ...

    async def read(self, step: Callable[[], _T]) -> _T: ...


class _Id(msgspec.Struct):
    id: int = msgspec.field(name="_id")


class _Record(msgspec.Struct):
    event: _Id


_records = msgspec.json.Decoder(list[msgspec.Raw])
_heads = msgspec.json.Decoder(_Record)


class EventCounter:
    """Wakes the streams of this process when any process has added events."""

    def __init__(self, read: Callable[[], Awaitable[int]]) -> None:
        self._read = read
        self._value = 0
        self._changed = asyncio.Event()
        self._streams = 0
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """A block in which `wait` may be called; the counter is read only during such blocks."""
        self._streams += 1
        if self._task is None:
            self._task = asyncio.create_task(self._look(), name="event counter")
        try:
            yield
        finally:
            self._streams -= 1
            if not self._streams:
                self._task.cancel()
                self._task = None

    async def wait(self, last: int) -> None:
        """Waits until there may be an event after ``last``, or for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CHECK_SECONDS):
                while self._value <= last:
                    await self._changed.wait()

    async def _look(self) -> None:
        while True:
            # A database that does not answer has nothing new; the streams notice it when they read.
            with suppress(SQLAlchemyError):
                value = await self._read()
                if value != self._value:
                    self._value = value
                    self._changed.set()
                    self._changed = asyncio.Event()
            await asyncio.sleep(_LOOK_SECONDS)


def http_scope(scope: Scope) -> Scope:
    """The scope of a WebSocket's request as that of any other; its query is taken out of the first.

    Uvicorn logs the query, and a caller may have put a secret there.
    """
    given = {**scope, "type": "http", "method": "GET"}
    scope["query_string"] = b""
    return given


class EventStreams:
    """The streams of one process as an ASGI application."""

    def __init__(self, services: Services, stream: Stream, handler: StreamHandler) -> None:
        self._services = services
        self._stream = stream
        self._handler = handler
        self._counter = EventCounter(self._newest)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a WebSocket's request: streams, or refuses it like any other call."""
        request = self._handler.request(http_scope(scope), receive)
        socket = WebSocket(scope, receive, send)
        refusal = await self._handler.refuse_stream(request, self._stream.endpoint)
        if refusal is not None:
            await socket.send_denial_response(refusal)
            return
        with hide_secrets(*request.secrets), suppress(WebSocketDisconnect):
            async with self._counter.watched():
                # Before the client can know that it is open: what it does not see from then on, it polls.
                last = await self._newest()
                await socket.accept()
                await self._serve(socket, request.token or "", last)

    async def _serve(self, socket: WebSocket, token: str, last: int) -> None:
        receiving = asyncio.create_task(_drop(socket))
        sending = asyncio.create_task(self._send_events(socket, token, last))
        try:
            await asyncio.wait({receiving, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            receiving.cancel()
            sending.cancel()
            await asyncio.wait({receiving, sending})
        if sending.cancelled():
            return
        error = sending.exception()
        if isinstance(error, ContractError):
            await socket.close(_SESSION_ENDED, error.code)
        elif isinstance(error, SQLAlchemyError):
            log.warning("A stream ends: %s", str(error).partition("\n")[0])
            await socket.close(_FAILED)
        elif error is not None:
            raise error

    async def _send_events(self, socket: WebSocket, token: str, last: int) -> None:
        """Sends events until the client has disconnected. Raises UserError when the session has ended."""
        while True:
            await self._counter.wait(last)
            frames, last = await self._handler.read(partial(self._read, token, last))
            for frame in frames:
                await socket.send_text(frame)
            await asyncio.sleep(0)  # sending to a fast reader waits for nothing

    def _read(self, token: str, last: int) -> tuple[list[str], int]:
        """The next records and the place after them."""
        with self._services.database.reader() as reader:
            session = self._services.sessions.find(reader, token)
            if session.user is None:
                raise UserError("not_authenticated")
            newest = self._services.log.newest_id(reader)
            caller = Caller(session.reference, session.user.id)
            found = self._stream.poll(self._services, reader, caller, last, _AT_ONCE)
        records = _records.decode(b"[%b]" % found)
        place = newest if len(records) < _AT_ONCE else _heads.decode(records[-1]).event.id
        return [bytes(record).decode() for record in records], max(last, place)

    async def _newest(self) -> int:
        return await self._handler.read(self._read_newest)

    def _read_newest(self) -> int:
        with self._services.database.reader() as reader:
            return self._services.log.newest_id(reader)


async def _drop(socket: WebSocket) -> None:
    """Takes what the client sends, until it disconnects or the server shuts down."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass
