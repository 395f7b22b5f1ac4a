"""Two ways to call an ASGI application from synchronous code: in process and over TCP."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from typing import Any

import httpx
import uvicorn
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from server_stub.http.routes import GENERATION_5
from server_stub.process.connection_limits import SILENT_SECONDS, LimitedProtocol, refusals
from server_stub.process.stream_limits import LimitedStream

_PROTOCOL: Any = partial(LimitedProtocol, refusals(GENERATION_5))


@contextmanager
def in_process(app: Router) -> Iterator[httpx.Client]:
    """A client that calls the application without a socket; background tasks end before the response."""
    with (
        started(app) as runner,
        httpx.Client(base_url="http://here", transport=_Bridge(app, runner), trust_env=False) as client,
    ):
        yield client


@contextmanager
def started(app: Router) -> Iterator[asyncio.Runner]:
    """Runs the lifespan of the application; yields its event loop."""
    life = AsyncExitStack()
    with asyncio.Runner() as runner:
        runner.run(life.enter_async_context(app.lifespan_context(app)))
        try:
            yield runner
        finally:
            runner.run(life.aclose())


class _Bridge(httpx.BaseTransport):
    """Runs the requests of a synchronous client on the runner's loop."""

    def __init__(self, app: ASGIApp, runner: asyncio.Runner) -> None:
        self._inner = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._runner = runner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._runner.run(self._answered(request))

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        return httpx.Response(answer.status_code, headers=answer.headers, content=await answer.aread())


class Stage:
    """An HTTP server on a free port that serves one application after another."""

    def __init__(self, silent_seconds: int = SILENT_SECONDS, *, streams: bool = False) -> None:
        self._app: ASGIApp | None = None
        self._streams: Any = LimitedStream if streams else "none"
        self._silent_seconds = silent_seconds
        # Never used, but loading the usual one for every client would take longer than most cases.
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._app is not None
        await self._app(scope, receive, send)

    @contextmanager
    def opened(self) -> Iterator[Stage]:
        """Starts the server, which all cases share, since starting takes longer than most of them."""
        config = uvicorn.Config(
            self,
            port=0,
            http=_PROTOCOL,
            lifespan="off",
            log_config=None,
            access_log=False,
            ws=self._streams,
            ws_per_message_deflate=False,
            proxy_headers=False,
            timeout_keep_alive=self._silent_seconds,
        )
        server = self._server = uvicorn.Server(config)
        worker = threading.Thread(target=server.run, daemon=True)
        worker.start()
        while not server.started:
            time.sleep(0.002)
        self.base_url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.should_exit = True
            worker.join(10)

    def connections(self) -> int:
        """The number of open connections."""
        return len(self._server.server_state.connections)

    @contextmanager
    def showing(self, app: Router) -> Iterator[httpx.Client]:
        """A client that calls the application over TCP."""
        self._app = app
        client = httpx.Client(base_url=self.base_url, trust_env=False, verify=self._tls)
        with started(app), client:
            yield client
