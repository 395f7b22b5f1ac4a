"""A small HTTP proxy in front of a real server that breaks what a test tells it to break.

Runs in a thread with a loop of its own, so that it goes on while a window is busy:

    with fault_proxy(server_url) as proxy:
        proxy.break_with(faults.status(503, retry_after=30), path="event/")
        ...
        proxy.heal()
        assert proxy.busiest_second < 2
"""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class ReceivedRequest:
    """A received request; ``at`` is in seconds of the monotonic clock."""

    method: str
    target: str
    head: bytes
    body: bytes
    at: float

    @property
    def path(self) -> str:
        """The path without the query."""
        return urlsplit(self.target).path

    def header(self, name: str) -> str:
        """The value of a header, or an empty string."""
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name:
                return value.strip()
        return ""


Forward = Callable[[], Awaitable[bytes]]
# Writes a response, or awaits ``Forward`` for that of the server and changes it.
Fault = Callable[[ReceivedRequest, asyncio.StreamWriter, Forward], Awaitable[None]]


@dataclass
class FaultProxy:
    """Forwards requests to ``upstream``; the fault of the first matching rule replaces the response.

    ``asked`` lists all requests since the last ``forget``; ``url`` is the address for clients.
    """

    upstream: str
    url: str = ""
    asked: list[ReceivedRequest] = field(default_factory=list)
    _rules: list[tuple[str, str, Fault]] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def break_with(self, fault: Fault, *, path: str = "", spare: str = "") -> None:
        """Adds a rule: requests whose path contains ``path`` but not ``spare`` get ``fault``."""
        self._rules.insert(0, (path, spare, fault))

    def heal(self) -> None:
        """Removes all rules."""
        self._rules.clear()

    def forget(self) -> None:
        """Clears the list of requests."""
        self.asked = []

    def count(self, path: str = "") -> int:
        """The number of requests whose path contains ``path``."""
        return sum(path in one.path for one in self.asked)

    @property
    def busiest_second(self) -> int:
        """The greatest number of requests within one second."""
        times = [one.at for one in self.asked]
        return max((sum(at <= other < at + 1 for other in times) for at in times), default=0)

    def connect(self, connection: socket.socket) -> None:
        """Accepts a connection."""
        task = asyncio.get_running_loop().create_task(self._serve(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that was cancelled before its first step has not closed its connection.
        task.add_done_callback(lambda _done: connection.close())

    async def disconnect(self) -> None:
        """Aborts all connections and waits until they are closed."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # aborted transports close their sockets in the next iteration of the loop

    async def _serve(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection, limit=2**22)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    await self._serve_one(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
            raise
        finally:
            await _close(writer)

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(_HEAD_END)
        method, target, _version = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        asked = ReceivedRequest(method, target, head, b"", time.monotonic())
        length = int(asked.header("content-length") or 0)
        asked = ReceivedRequest(method, target, head, await reader.readexactly(length), asked.at)
        self.asked.append(asked)

        async def forward() -> bytes:
            return await _forwarded(self.upstream, asked)

        fault = next(
            (
                fault
                for path, spare, fault in self._rules
                if path in asked.path and not (spare and spare in asked.path)
            ),
            None,
        )
        if fault is None:
            writer.write(await forward())
        else:
            await fault(asked, writer, forward)
        await writer.drain()
        # One request for each connection, so that a fault does not affect others.
        writer.close()


async def _forwarded(upstream: str, asked: ReceivedRequest) -> bytes:
    parts = urlsplit(upstream)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    first, *lines = asked.head.removesuffix(_HEAD_END).split(b"\r\n")
    kept = [
        line for line in lines if not line.lower().startswith((b"connection:", b"host:", b"accept-encoding:"))
    ]
    head = b"\r\n".join([first, *kept, b"host: " + parts.netloc.encode(), b"connection: close"])
    writer.write(head + _HEAD_END + asked.body)
    try:
        return await reader.read()
    finally:
        await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    """Closes a connection after sending all data; if cancelled, the rest is dropped."""
    writer.close()
    try:
        with suppress(ConnectionError):
            await writer.wait_closed()
    finally:
        writer.transport.abort()


@contextmanager
def fault_proxy(upstream: str) -> Iterator[FaultProxy]:
    """Runs a proxy in front of ``upstream`` until the end of the block."""
    proxy = FaultProxy(upstream)
    loop = asyncio.SelectorEventLoop()
    ready = threading.Event()

    # Not asyncio's server: closed while it hands a connection over, it loses the socket (Python 3.11).
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    proxy.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def accept() -> None:
        with suppress(BlockingIOError, ConnectionError):
            connection, _address = listener.accept()
            connection.setblocking(False)
            proxy.connect(connection)

    async def run(stop: asyncio.Event) -> None:
        loop.add_reader(listener, accept)
        ready.set()
        await stop.wait()
        loop.remove_reader(listener)
        listener.close()
        await proxy.disconnect()

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(run(stop)), name="proxy", daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
