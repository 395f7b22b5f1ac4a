"""Uvicorn's HTTP protocol, but an answer goes out at once, and bytes that are no HTTP get an error object."""

from __future__ import annotations

import asyncio

import msgspec
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from server_stub.api.call import JSON
from server_stub.api.instance import API_VERSION
from server_stub.errors import ApiError
from server_stub.joined_writes import JoinedWrites

_ERROR = ApiError("invalid_api", "What came in is no HTTP request.")


def _answer() -> bytes:
    """All of the answer; the version of the schema is left out, for nothing was asked of a database."""
    body = msgspec.json.format(msgspec.json.encode(_ERROR.to_object()), indent=1)
    headers = {
        "Content-Type": JSON,
        "Content-Length": len(body),
        "Cache-Control": "no-cache",
        "X-Easydb-Api-Version": API_VERSION,
        "Connection": "close",
    }
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return f"HTTP/1.1 {_ERROR.status} Bad Request\r\n{''.join(lines)}\r\n".encode() + body


class HttpProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """The protocol that uvicorn takes by itself, whichever that is on this machine."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:
        """From now on both write through one that joins what belongs together."""
        self._joined = JoinedWrites(transport)
        super().connection_made(self._joined)

    def on_response_complete(self) -> None:
        """What both of uvicorn's protocols call when they have written all of an answer: it goes out."""
        self._joined.send()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's own words
        """What both of uvicorn's protocols call when they cannot read what came in."""
        self.transport.write(_answer())
        self.transport.close()
