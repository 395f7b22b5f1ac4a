"""The ASGI application around the server's own that injects the selected faults."""

from __future__ import annotations

import logging
from email.utils import formatdate

from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server_stub.http.calls import Services
from server_stub.http.chaos.catalogue import FAULTS, POLL_GAP
from server_stub.http.chaos.exchange import Exchange, WithheldEvents
from server_stub.http.chaos.selection import FaultSelector, Selection
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes import ENDPOINTS

log = logging.getLogger(__name__)

_CALLS = [(compile_path(endpoint.path)[0], endpoint) for endpoint in ENDPOINTS]


class FaultInjector:
    """Injects faults at the calls of the interface; other requests, and those of /chaos, are passed on.

    Each injected fault is logged, and its response has the header `x-cdb-chaos` with the name. The server
    must leave the header `Date` to this class, since a fault may change it.
    """

    def __init__(self, application: ASGIApp, services: Services, selector: FaultSelector) -> None:
        self._application = application
        self._services = services
        self._selector = selector
        self._withheld: dict[str, WithheldEvents] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request, or the lifespan of the application."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start" and b"date" not in dict(message["headers"]):
                date = (b"date", formatdate(usegmt=True).encode())
                message = {**message, "headers": [date, *message["headers"]]}
            await send(message)

        is_quiet = not (self._selector.configuration.is_active or self._withheld)
        path = _path(scope)
        endpoint = None if is_quiet else _endpoint(scope["method"], path)
        if endpoint is None:
            await self._application(scope, receive, dated)
            return
        exchange = Exchange(
            self._application, self._services, endpoint, (scope, receive, dated), self._withheld
        )
        if exchange.token in self._withheld and endpoint.path.startswith("/event/poll"):
            # Goes on with a gap of an earlier poll, which has been counted.
            await self._inject(exchange, Selection(FAULTS[POLL_GAP]))
        elif (selection := self._selector.select(endpoint, path, exchange.query)) is None:
            await exchange.pass_on()
        elif await self._inject(exchange, selection):
            fields = {"fault": selection.fault.name, "method": scope["method"], "path": scope["path"]}
            log.info("fault injected", extra={"fields": fields})
        else:
            self._selector.take_back(selection)

    async def _inject(self, exchange: Exchange, selection: Selection) -> bool:
        fault = selection.fault
        defaults = {name: parameter.default for name, parameter in fault.parameters.items()}
        exchange.parameters = defaults | selection.parameters
        exchange.mark(fault.name)
        return await fault.inject(exchange)


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix("/api").removeprefix("/v1")


def _endpoint(method: str, path: str) -> Endpoint | None:
    method = "GET" if method == "HEAD" else method
    matching = (endpoint for pattern, endpoint in _CALLS if pattern.match(path))
    return next((endpoint for endpoint in matching if endpoint.method == method), None)
