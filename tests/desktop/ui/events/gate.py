"""A service that takes its time: the way over real sockets is held up while a gate is closed."""

from __future__ import annotations

import asyncio

import httpx


class Gate(httpx.AsyncBaseTransport):
    """Lets calls through while it is open, and those that do not hold ``where``; counts what waits."""

    def __init__(self) -> None:
        self._wire = httpx.AsyncHTTPTransport()
        self._open = asyncio.Event()
        self._open.set()
        self._where = ""
        self.waiting = 0

    def close(self, where: str = "") -> None:
        """Holds up calls with ``where`` in their address from now on."""
        self._where = where
        self._open.clear()

    def open(self) -> None:
        """Lets all of them through."""
        self._open.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._where in str(request.url):
            self.waiting += 1
            try:
                await self._open.wait()
            finally:
                self.waiting -= 1
        return await self._wire.handle_async_request(request)

    async def aclose(self) -> None:
        await self._wire.aclose()
