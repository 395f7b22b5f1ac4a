"""Limits of connections for which uvicorn has no options.

- The head of a request has at most 100 headers and 64 KB. A larger one is answered by an error object.
- A request has arrived whole within 10 seconds, and one second more for each 10 KB of its body; otherwise the
  connection is closed.
- A connection on which nothing has been sent yet is closed like one on which nothing more is sent: after
  uvicorn's `timeout_keep_alive`. Clients that keep connections should let go of them sooner.
- A client that takes nothing of an answer or of a stream for 60 seconds is cut off.
- A worker that is replaced answers the next request on each of its connections and closes it then, or after 5
  seconds of silence. One that is ended closes those that wait at once, perhaps while a request is on its way.
- A process has at most so many connections that it can still open files. One more closes the one that has
  waited longest for a whole request, of the address with most of those: half-open connections, however many
  there are, keep nobody out. It is closed itself if every connection has a request that is being answered.

The base is uvicorn's protocol for `httptools`. Overridden are methods of `asyncio.Protocol`, callbacks of
`httptools`, and uvicorn's `timeout_keep_alive_handler` and `send_400_response`: methods that `httptools` does
not know, and bytes that are no HTTP, get an error object.
"""

from __future__ import annotations

import asyncio
import sys
from threading import Event
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from httptools import HttpParserInvalidMethodError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from server_stub.foundation.errors import ApiError
from server_stub.http.dialect import Dialect
from server_stub.http.responses import build_response

if sys.platform != "win32":
    import resource

# For uvicorn's `timeout_keep_alive`. The desktop closes idle connections after 4 seconds.
SILENT_SECONDS = 60

_MAX_HEADERS = 100
_MAX_HEAD_BYTES = 64 << 10
_REQUEST_SECONDS = 10.0
_MIN_BYTES_A_SECOND = 10_000
_STALLED_SECONDS = 60.0
# How long a worker that is replaced waits for the next request on a connection.
_LAST_REQUEST_SECONDS = 5.0
# How long the rest of a refused head is read and dropped: closing immediately would reset the connection, and
# a client that is still sending would never read the response.
_DROPPING_SECONDS = 5.0

# Files that a process may open, where the system permits so many, and those that are not connections.
_WANTED_FILES = 8192
_OTHER_FILES = 128
_MAX_CONNECTIONS = 4096
_MAX_BACKLOG = 2048


_ending = Event()


def keep_until_answered() -> None:
    """Lets this process, which is about to end, answer one more request on each connection."""
    _ending.set()


def raise_file_limit() -> None:
    """Raises the number of files that this process may open, and its children with it, where it is low."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def backlog() -> int:
    """How many connections the system may accept before the server sees one of them."""
    return min(_MAX_BACKLOG, max(_free_files() // 2, 16))


def max_connections() -> int:
    """How many connections a process may have: the system may accept a backlog more at any time."""
    return min(_MAX_CONNECTIONS, max(_free_files() - backlog(), 8))


def _free_files() -> int:
    """How many files may be connections."""
    files = _WANTED_FILES
    if sys.platform != "win32":
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        files = _WANTED_FILES if soft == resource.RLIM_INFINITY else soft
    return files - min(_OTHER_FILES, files // 2)


class Refusals(NamedTuple):
    """The whole responses to requests that reach no application; the database is not queried for them."""

    large_head: bytes
    other_method: bytes
    no_http: bytes


def refusals(dialect: Dialect) -> Refusals:
    """The refusals in a dialect."""
    limits = f"{_MAX_HEADERS} headers and {_MAX_HEAD_BYTES} bytes"
    return Refusals(
        _refusal(dialect, ApiError("generic", f"The head of a request has at most {limits}.")),
        _refusal(dialect, ApiError("invalid_request_method", "No call takes this method.")),
        _refusal(dialect, ApiError("generic", "This is no request of HTTP/1.1.")),
    )


def _refusal(dialect: Dialect, error: ApiError) -> bytes:
    answer = dialect.error_answer(error, None, None, False)
    response = build_response(
        answer, {**dialect.fixed_headers, "connection": "close"}, pretty=dialect.indents
    )
    lines = b"".join(b"%b: %b\r\n" % pair for pair in response.raw_headers)
    return b"HTTP/1.1 %d Bad Request\r\n%b\r\n%b" % (answer.status, lines, bytes(response.body))


class ConnectionTable:
    """The connections of one server in this process: how many, and which of them wait for a request."""

    def __init__(self) -> None:
        self._most = max_connections()
        # By address, those that have waited longest first.
        self._waiting: dict[str, dict[LimitedProtocol, None]] = {}

    def make_room(self, connections: int) -> bool:
        """Closes a connection that waits if there are too many; returns False if none of them waits."""
        if connections <= self._most:
            return True
        if not self._waiting:
            return False
        address = max(self._waiting, key=lambda each: len(self._waiting[each]))
        oldest = next(iter(self._waiting[address]))
        self.remove(oldest)
        oldest.transport.abort()
        return True

    def add(self, connection: LimitedProtocol) -> None:
        """A connection begins to wait for a request."""
        self._waiting.setdefault(connection.address, {})[connection] = None

    def remove(self, connection: LimitedProtocol) -> None:
        """A connection has received a whole request, or is closed."""
        waiting = self._waiting.get(connection.address, {})
        waiting.pop(connection, None)
        if not waiting:
            self._waiting.pop(connection.address, None)


# By the object that all connections of a server share.
_tables: WeakKeyDictionary[ServerState, ConnectionTable] = WeakKeyDictionary()


class StalledClients(asyncio.Protocol):
    """Cuts off a client that takes nothing of what is sent."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Begins to watch a client that takes less than is sent."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Stops watching: the client has taken nearly all of it."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _watch(self, before: int | None = None) -> None:
        waiting = self.transport.get_write_buffer_size()
        if before is not None and waiting >= before:
            self.transport.abort()
        else:
            self._stalled = self.loop.call_later(_STALLED_SECONDS, self._watch, waiting)


class LimitedProtocol(StalledClients, HttpToolsProtocol):
    """One connection, within the limits that the module describes."""

    def __init__(self, refusals: Refusals, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._refusals = refusals

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for the first request as long as uvicorn waits for each further one."""
        super().connection_made(transport)
        self._is_receiving = False  # Some of a request has arrived, not all of it.
        self._is_refused = False
        self._is_stream = False  # The connection is a WebSocket now, which has a protocol of its own.
        self._began = 0.0
        self._body_bytes = 0
        self._unparsed_bytes = 0  # Those since the last head or part of a body was whole.
        # Ends a connection that is silent or too slow, and one that has been refused.
        self._timer: asyncio.TimerHandle | None = None
        table = _tables.get(self.server_state)
        self._table = table if table is not None else _tables.setdefault(self.server_state, ConnectionTable())
        self.address = self.client[0] if self.client else ""
        if self._table.make_room(len(self.connections)):
            self._table.add(self)
            self._set_timer(_LAST_REQUEST_SECONDS if _ending.is_set() else self.timeout_keep_alive)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancels the timers."""
        self._table.remove(self)
        self._cancel_timer()
        self._unset_keepalive_if_required()
        self.resume_writing()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Closes the connection after the current call, or the next one if this process is replaced."""
        if not _ending.is_set() or not self._is_idle:
            super().shutdown()
        elif not self._is_receiving:
            self._cancel_timer()
            self._unset_keepalive_if_required()
            self._set_timer(_LAST_REQUEST_SECONDS)

    def _set_timer(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._time_out)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # What arrives

    def data_received(self, data: bytes) -> None:
        """Counts what uvicorn's parser is given, and how long a request takes."""
        if self._is_refused:
            return
        if not self._is_receiving:
            self._begin_request()
        self._unparsed_bytes += len(data)
        super().data_received(data)
        self._limit_request()

    def _limit_request(self) -> None:
        """Refuses a head that grows too large, and sets the timer for the rest of the request."""
        if self._is_refused or self._is_stream or self.transport.is_closing():
            return
        if self._unparsed_bytes > _MAX_HEAD_BYTES:
            self._refuse(self._refusals.large_head)
        elif self._is_receiving:
            if self._timer is None:
                self._set_timer(_REQUEST_SECONDS)
        elif self._is_idle and self.timeout_keep_alive_task is None:
            self._set_timer(self.timeout_keep_alive)  # The rest of a body came after the response.

    @property
    def _cycle(self) -> RequestResponseCycle | None:
        return self.cycle

    @property
    def _is_idle(self) -> bool:
        return self._cycle is None or self._cycle.response_complete

    def _begin_request(self) -> None:
        self._cancel_timer()
        self._is_receiving = True
        self._began = self.loop.time()
        self._body_bytes = self._unparsed_bytes = 0

    def on_message_begin(self) -> None:
        """Begins a request; another one may follow in the same bytes."""
        if not self._is_receiving:
            self._begin_request()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Refuses a large head before anything is made of it."""
        size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if size > _MAX_HEAD_BYTES or len(self.headers) > _MAX_HEADERS:
            self._refuse(self._refusals.large_head)
        if not self._is_refused:
            self._unparsed_bytes = 0
            super().on_headers_complete()
            if _ending.is_set() and self._cycle is not None:
                self._cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Counts a part of the body."""
        if not self._is_refused:
            self._unparsed_bytes = 0
            self._body_bytes += len(body)
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Stops the clock of the request."""
        if not self._is_refused:
            self._is_receiving = False
            self._unparsed_bytes = 0
            self._cancel_timer()
            if not self._is_idle:  # The response may have come before the rest of a body.
                self._table.remove(self)
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Waits for the next request, unless it has arrived already."""
        super().on_response_complete()
        if self._is_idle and not self.transport.is_closing():
            self._table.add(self)

    def handle_websocket_upgrade(self) -> None:
        """Hands the connection over, unless its head was refused."""
        if self._is_refused:
            return
        self._is_stream = True
        self._table.remove(self)
        self._cancel_timer()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        """Answers what the parser refuses."""
        is_method = isinstance(sys.exception(), HttpParserInvalidMethodError)
        self._refuse(self._refusals.other_method if is_method else self._refusals.no_http)

    def _refuse(self, response: bytes) -> None:
        cycle = self._cycle
        if cycle is not None and not cycle.response_complete:
            # The application sees that the client of the current request has disconnected.
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        self._is_refused = True
        self._cancel_timer()
        self._unset_keepalive_if_required()
        self.transport.write(response)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()
        self._set_timer(_DROPPING_SECONDS)

    def _time_out(self) -> None:
        """Closes the connection, unless the server itself does not read or a large body may take longer."""
        self._timer = None
        if not self._is_receiving or self._is_refused:
            self.timeout_keep_alive_handler()
            return
        now = self.loop.time()
        if self.flow.read_paused:
            self._began, self._body_bytes = now, 0
        left = self._began + _REQUEST_SECONDS + self._body_bytes / _MIN_BYTES_A_SECOND - now
        if left > 0:
            self._set_timer(left)
        else:
            self.transport.close()

    def timeout_keep_alive_handler(self) -> None:
        """Closes a silent connection, also if the client has not read everything."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()
