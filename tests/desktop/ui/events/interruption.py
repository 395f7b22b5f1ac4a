"""A transport over real sockets that runs an action at the service before a request."""

from collections.abc import Awaitable, Callable

import httpx

from cdb_desktop.client import Client

Act = Callable[[], Awaitable[None]]


class Interruption(httpx.AsyncBaseTransport):
    """Runs an action before the ``turn``-th request whose method and path contain ``where``."""

    def __init__(self, where: str, turn: int = 1) -> None:
        self._wire = httpx.AsyncHTTPTransport()
        self._where = where
        self._left = turn
        self.act: Act | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.act is not None and self._where in f"{request.method} {request.url.raw_path.decode()}":
            self._left -= 1
            if self._left == 0:
                await self.act()
        return await self._wire.handle_async_request(request)

    async def aclose(self) -> None:
        await self._wire.aclose()


def end_of_session(client: Client) -> Act:
    """The session of ``client`` is ended from another client."""

    async def act() -> None:
        session = client.session
        assert session is not None
        async with httpx.AsyncClient() as other:
            address = f"{client.address}/api/v1/session/deauthenticate"
            answer = await other.post(address, params={"token": session.token})
            answer.raise_for_status()

    return act
