"""A transport over real sockets that holds requests while a gate is closed."""

import asyncio

import httpx


class Gate(httpx.AsyncBaseTransport):
    """Holds requests whose URL contains ``where`` while closed, and counts them."""

    def __init__(self) -> None:
        self._wire = httpx.AsyncHTTPTransport()
        self._open = asyncio.Event()
        self._open.set()
        self._where = ""
        self.waiting = 0

    def close(self, where: str = "") -> None:
        """Holds requests whose URL contains ``where``."""
        self._where = where
        self._open.clear()

    def open(self) -> None:
        """Releases all requests."""
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
