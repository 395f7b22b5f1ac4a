"""A bare TCP service for faults that an HTTP server would not produce."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

HANG_UP = b""
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


class RawService:
    """Has a list of replies for each connection; after them, the next request closes the connection."""

    def __init__(self, connections: Sequence[Sequence[bytes]]) -> None:
        self.url = ""
        self.requests: list[bytes] = []
        self._connections = list(connections)
        self._writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Replies to one connection, then waits for another request unless the connection is to be closed."""
        self._writers.append(writer)
        replies = self._connections.pop(0) if self._connections else ()
        for reply in replies:
            if reply != HANG_UP:
                await self._read_request(reader)
                writer.write(reply)
        if HANG_UP not in replies:
            await self._read_request(reader)
        writer.close()

    async def close(self) -> None:
        """Closes every connection."""
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _read_request(self, reader: asyncio.StreamReader) -> None:
        try:
            self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        except (asyncio.IncompleteReadError, ConnectionError):
            return


@asynccontextmanager
async def raw_service(*connections: Sequence[bytes]) -> AsyncIterator[RawService]:
    """A service with these replies for its connections in turn, for the length of a block."""
    service = RawService(connections)
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield service
        await service.close()
