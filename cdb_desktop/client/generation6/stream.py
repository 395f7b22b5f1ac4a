"""The stream of new events over a WebSocket: what happens while it is open, and nothing of before.

The only module that uses websockets. A stream takes the same way as calls: proxy, certificates, timeouts.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from cdb_desktop.client.errors import ClientError, StreamRefusedError, UnreachableError
from cdb_desktop.client.exchange import decoded
from cdb_desktop.client.records import Polled
from cdb_desktop.client.request import API, MEGABYTE, Call, Response
from cdb_desktop.client.transport import Transport
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import websockets
else:
    websockets = lazy("websockets")

_PATH = f"{API}event/stream"
_LARGEST = 16 * MEGABYTE  # bytes of one event
_MOST = 1000  # events that are returned together
_TOGETHER = 0.03  # seconds that events of a burst are waited for
_PING = 20.0  # seconds; a network that drops idle connections has another one before that
_REDIRECTS = range(300, 400)
# At DEBUG it would write the token, which is in a header.
_SILENT = logging.getLogger(f"{__name__}.frames")
_SILENT.setLevel(logging.WARNING)


class EventStream:
    """An open stream; ``read`` returns what it brings."""

    def __init__(self, connection: websockets.ClientConnection, call: Call[Polled]) -> None:
        self._connection = connection
        self._call = call

    async def read(self) -> Polled:
        """The next events; those of a burst together.

        Raises UnreachableError when the stream has ended, AnswerError.
        """
        frames: list[bytes] = []
        try:
            frames.append(await self._connection.recv(decode=False))
            with suppress(TimeoutError):
                async with asyncio.timeout(_TOGETHER):
                    while len(frames) < _MOST:
                        frames.append(await self._connection.recv(decode=False))
        except websockets.ConnectionClosed as error:
            if not frames:
                code = error.rcvd.code if error.rcvd else 0
                raise UnreachableError("disconnected", f"the stream has ended ({code})") from None
        # The records of a poll come as an array.
        answer = Response(200, {"content-type": "application/json"}, b"[%b]" % b",".join(frames))
        return await decoded(self._call, answer)

    async def close(self) -> None:
        """Closes the connection."""
        await self._connection.close()


async def open_stream(
    transport: Transport, token: str, poll: Call[Polled], failure: Callable[[Response], ClientError]
) -> EventStream:
    """Opens the stream; its events are decoded like those of ``poll``, a refusal by ``failure``.

    Raises StreamRefusedError if the service or something before it does not open streams, SessionLostError,
    UnreachableError.
    """
    route = transport.stream_route(_PATH)
    # The library refuses contexts where they are not needed, even None.
    contexts: dict[str, Any] = {"ssl": route.context, "proxy_ssl": route.proxy_context}
    contexts = {name: context for name, context in contexts.items() if context is not None}
    error: Exception
    try:
        connection = await _connect()(
            route.url,
            additional_headers={"Authorization": f"Bearer {token}"},
            user_agent_header="cdb-desktop",
            compression=None,
            proxy=route.proxy or None,
            open_timeout=route.timeout,
            close_timeout=1.0,
            ping_interval=_PING,
            ping_timeout=route.timeout,
            max_size=_LARGEST,
            logger=_SILENT,
            **contexts,
        )
    except (websockets.WebSocketException, OSError, ValueError, EOFError) as failed:
        error = failed
    else:
        return EventStream(connection, poll)
    # Outside of the except block: the context of these errors contains the request with the token.
    raise _translated(error, transport, failure)


def _connect() -> type[websockets.connect]:
    class Connect(websockets.connect):
        """Follows no redirect: a token must not be carried elsewhere."""

        def process_redirect(self, exc: Exception) -> Exception | str:
            return exc

    return Connect


def _translated(
    error: Exception, transport: Transport, failure: Callable[[Response], ClientError]
) -> ClientError:
    if isinstance(error, websockets.InvalidProxyStatus):
        return StreamRefusedError(f"the proxy answers HTTP {error.response.status_code}")
    if isinstance(error, websockets.InvalidStatus):
        response = error.response
        headers = {name.lower(): value for name, value in response.headers.raw_items()}
        answer = Response(response.status_code, headers, bytes(response.body or b""))
        if 400 <= answer.status < 500 and not answer.is_html and answer.body:
            return failure(answer)
        return StreamRefusedError(f"HTTP {answer.status}")
    if isinstance(error, TimeoutError):
        return StreamRefusedError("no answer in time")
    if isinstance(error, websockets.WebSocketException):
        return StreamRefusedError(type(error).__name__)
    return transport.unreachable(error)
