"""Uvicorn's HTTP protocol with the limits for which uvicorn has no options.

- The head of a request has at most 100 headers and 64 KB. More, and bytes that are no HTTP at all, are
  answered by an error object.
- A request has arrived whole within 10 seconds, and one second more for each 10 KB of its body; otherwise the
  connection is closed.
- A connection on which nothing was sent yet is closed like one on which nothing more is sent: after uvicorn's
  `timeout_keep_alive`. Clients that keep connections should let go of them sooner.
- A client that takes nothing of an answer for 60 seconds is cut off.
- Where an answer ends the connection before all of the request has arrived, the rest is read and dropped, up
  to 128 MB or 5 seconds: to close at once would make the system reset the connection, and a client that is
  still sending would never read the answer.

It also sends an answer in one piece: see `JoinedWrites`. The base is uvicorn's own protocol for `httptools`,
since uvicorn has no public hooks for any of this. What is overridden here is a method of `asyncio.Protocol`,
a callback of `httptools`, or uvicorn's `on_response_complete`, `send_400_response`, `shutdown` and
`timeout_keep_alive_handler`.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from server_stub.foundation.errors import ApiError
from server_stub.http.calls import JSON
from server_stub.http.instance import API_VERSION

# For uvicorn's `timeout_keep_alive`. The desktop lets go of its connections after 4 seconds.
SILENT_SECONDS = 60

_MAX_HEADERS = 100
_MAX_HEAD_BYTES = 64 << 10
_REQUEST_SECONDS = 10.0
_LEAST_BYTES_A_SECOND = 10_000
_STALLED_SECONDS = 60.0
_DROPPED_BYTES = 128 << 20
_DROPPING_SECONDS = 5.0

_NO_HTTP = ApiError("invalid_api", "What came in is no HTTP request.")
_LARGE_HEAD = ApiError(
    "invalid_api",
    f"The head of a request has at most {_MAX_HEADERS} headers and {_MAX_HEAD_BYTES} bytes.",
)


class _LargeHeadError(Exception):
    """Raised in a callback of the parser; it ends the parsing."""


def _answer(error: ApiError) -> bytes:
    """All of the answer; the version of the schema is left out, for nothing was asked of a database."""
    body = msgspec.json.format(msgspec.json.encode(error.to_object()), indent=1)
    headers = {
        "Content-Type": JSON,
        "Content-Length": len(body),
        "Cache-Control": "no-cache",
        "X-Easydb-Api-Version": API_VERSION,
        "Connection": "close",
    }
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return f"HTTP/1.1 {error.status} Bad Request\r\n{''.join(lines)}\r\n".encode() + body


_LARGE = 32 << 10


class JoinedWrites:
    """Stands before a transport; whatever is not about writing goes straight to it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._written: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Sends these bytes at the end of this turn of the loop, unless `send` does before.

        A large piece goes at once, so that the transport says when the other end takes no more.
        """
        if not self._written:
            self._loop.call_soon(self.send)
        self._written.append(data)
        if len(data) >= _LARGE:
            self.send()

    def close(self) -> None:
        """Ends the connection when everything written is sent."""
        self.send()
        self._transport.close()

    def send(self) -> None:
        """Sends what is written: who knows that an answer is whole saves it the wait for the next turn."""
        if self._written:
            pieces, self._written = self._written, []
            self._transport.writelines(pieces)


class _Connection(JoinedWrites):
    """What uvicorn writes to; `close` leaves a client that is still sending time to read the answer."""

    def __init__(self, transport: asyncio.Transport, protocol: HttpProtocol) -> None:
        super().__init__(transport)
        self._protocol = protocol

    def is_closing(self) -> bool:
        """Whether nothing more is sent."""
        return self._protocol.is_dropping or self._transport.is_closing()

    def close(self) -> None:
        """Ends the connection, as soon as nothing more arrives."""
        self.send()
        if self._protocol.is_receiving:
            self._protocol.drop_the_rest()
        else:
            self._transport.close()


class HttpProtocol(HttpToolsProtocol):
    """One connection; the module tells its limits."""

    transport: asyncio.Transport
    _real: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From now on uvicorn writes through one that joins what belongs together."""
        self.is_receiving = False  # Some of a request has arrived, not all of it.
        self.is_dropping = False
        self._dropped = 0
        self._began = 0.0
        self._body_bytes = 0
        self._unread_bytes = 0  # Those that made up neither a head nor a part of a body yet.
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._error = _NO_HTTP
        self._real = transport
        self._joined = _Connection(transport, self)
        super().connection_made(self._joined)  # type: ignore[arg-type]
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """No timer outlives the connection."""
        for timer in (self._deadline, self._stalled):
            if timer is not None:
                timer.cancel()
        self._unset_keepalive_if_required()
        self.is_receiving = False
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Closes a connection on which nothing more was sent, even if the client has not read everything."""
        if self._real.get_write_buffer_size():
            self._real.abort()
        else:
            self._real.close()

    def shutdown(self) -> None:
        """Ends the connection once its answer is sent; nobody waits for the rest of half a request."""
        cycle = self._cycle
        if cycle is None or cycle.response_complete:
            self._real.close()
        else:
            cycle.keep_alive = False

    @property
    def _cycle(self) -> RequestResponseCycle | None:
        """The last request, if there was one."""
        return self.cycle

    # What arrives

    def data_received(self, data: bytes) -> None:
        """Counts what uvicorn's parser reads."""
        if self.is_dropping:
            self._dropped += len(data)
            if self._dropped > _DROPPED_BYTES:
                self._real.close()
            return
        if not self.is_receiving:
            self._begin()
        self._unread_bytes += len(data)
        super().data_received(data)
        if self._real.is_closing() or self.is_dropping:
            return
        if self._unread_bytes > _MAX_HEAD_BYTES:
            self._error = _LARGE_HEAD
            self.send_400_response("")
        elif self.is_receiving:
            if self._deadline is None:
                self._deadline = self.loop.call_later(_REQUEST_SECONDS, self._check_arrival)
        elif self._is_idle and self.timeout_keep_alive_task is None:
            self._await_request()  # This was the end of a body that nobody waited for.

    @property
    def _is_idle(self) -> bool:
        return self._cycle is not None and self._cycle.response_complete

    def _begin(self) -> None:
        self.is_receiving = True
        self._began = self.loop.time()
        self._body_bytes = self._unread_bytes = 0

    def on_message_begin(self) -> None:
        """Another request may follow in the same bytes."""
        if not self.is_receiving:
            self._begin()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Refuses a large head before anything is made of it."""
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > _MAX_HEAD_BYTES or len(self.headers) > _MAX_HEADERS:
            self._error = _LARGE_HEAD
            raise _LargeHeadError
        self._unread_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._unread_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is here."""
        self.is_receiving = False
        self._unread_bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        super().on_message_complete()

    def _check_arrival(self) -> None:
        """Closes the connection where a request is too slow, unless the server itself does not read."""
        self._deadline = None
        now = self.loop.time()
        if self.flow.read_paused:
            self._began, self._body_bytes = now, 0
        left = self._began + _REQUEST_SECONDS + self._body_bytes / _LEAST_BYTES_A_SECOND - now
        if left > 0:
            self._deadline = self.loop.call_later(left, self._check_arrival)
        else:
            self._real.close()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        """What uvicorn calls when it cannot read what came in."""
        cycle = self._cycle
        if cycle is not None and not cycle.response_complete:
            # Its request is broken: the application is told that the caller is gone.
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self._real.close()
                return
        self._joined.write(_answer(self._error))
        self.is_receiving = True  # Whatever follows is no request.
        self._joined.close()

    def drop_the_rest(self) -> None:
        """Reads on without using it, so that the client comes to read the answer; then closes."""
        if self.is_dropping or self._real.is_closing():
            return
        self.is_dropping = True
        for timer in (self._deadline, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()
        self._deadline = self.timeout_keep_alive_task = None
        if self._real.can_write_eof():
            self._real.write_eof()
        self.flow.resume_reading()
        self._deadline = self.loop.call_later(_DROPPING_SECONDS, self._real.close)

    # What is sent

    def on_response_complete(self) -> None:
        """An answer is whole, and goes out."""
        self._joined.send()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client takes less than is sent."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """The client has taken nearly all of it."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _watch(self, before: int | None = None) -> None:
        waiting = self._real.get_write_buffer_size()
        if before is not None and waiting >= before:
            self._real.abort()
        else:
            self._stalled = self.loop.call_later(_STALLED_SECONDS, self._watch, waiting)
