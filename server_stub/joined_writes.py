"""A transport that sends an answer in one piece, at its end or that of the loop's turn; knows no protocol.

Uvicorn writes the head of an answer and its body apart: two calls of the system, and the client wakes twice.
"""

from __future__ import annotations

import asyncio
from typing import Any

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
