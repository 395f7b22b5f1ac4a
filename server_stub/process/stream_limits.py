"""The limits of connections that have become WebSockets.

A module of its own: loading the library takes as long as starting the server, and few servers have streams.
"""

from __future__ import annotations

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server_stub.process.connection_limits import StalledClients

_GOODBYE_SECONDS = 1.0


class LimitedStream(StalledClients, WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops watching."""
        self.resume_writing()
        super().connection_lost(exc)

    async def send(self, message: ASGISendEvent) -> None:
        """Notes that a refusal is a whole answer, which uvicorn would log as a fault of the application."""
        await super().send(message)
        self.handshake_complete |= self.close_sent

    def shutdown(self) -> None:
        """Says goodbye, and does not wait for a client that does not take it."""
        super().shutdown()
        self.loop.call_later(_GOODBYE_SECONDS, self.transport.abort)
