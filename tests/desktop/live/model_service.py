"""A small real service with an event log of its own, which fails, holds polls and restarts on demand."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

RIGHT = "system.api.event.get"


class ModelService:
    """The log and the faults; it outlives the sockets on which it is served."""

    def __init__(self) -> None:
        self.log: list[dict[str, Any]] = []
        self.lowest = 0  # the session's current_max_event_id
        self.rights: dict[str, object] = {}
        self.authenticated = True
        self.hold = 0.0  # seconds that a poll waits for events
        self.stands_still = False  # accepts requests and does not answer
        self.fails_to_list = False
        self.unruly: list[Response] = []  # answers to polls before the regular ones
        self.cursors: list[int] = []
        self.port = 0

    @property
    def url(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self.port}"

    def write(self, *ids: int, kind: str = "SEARCH", **body: object) -> None:
        """Writes events with these ids, in this order."""
        self.log.extend({"event": {"_id": one, "type": kind, **body}} for one in ids)

    @contextmanager
    def serve(self) -> Iterator[None]:
        """Listens at the port of the last time; closes all connections at the end."""
        with socket.create_server(("127.0.0.1", self.port)) as listening:
            self.port = listening.getsockname()[1]
            app = Starlette(routes=self._routes())
            server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, access_log=False))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.005)
            try:
                yield
            finally:
                server.should_exit = server.force_exit = True
                thread.join(timeout=10)

    def _routes(self) -> list[Route]:
        api = "/api/v1"
        return [
            Route(f"{api}/settings", self._settings),
            Route(f"{api}/session", self._session, methods=["GET"]),
            Route(f"{api}/session/authenticate", self._session, methods=["POST"]),
            Route(f"{api}/event/list", self._list),
            Route(f"{api}/event/poll/{{last:int}}", self._poll),
        ]

    async def _settings(self, _request: Request) -> Response:
        await self._stand()
        return JSONResponse({"name": "model"})

    async def _stand(self) -> None:
        while self.stands_still:  # noqa: ASYNC110  # which is set in another thread
            await asyncio.sleep(0.01)

    async def _session(self, _request: Request) -> Response:
        await self._stand()
        body: dict[str, object] = {"token": "t", "instance": {"name": "model"}}
        if self.authenticated:
            body |= {
                "authenticated": {"method": "easydb"},
                "current_max_event_id": self.lowest,
                "system_rights": self.rights,
                "user": {"user": {"_id": 1, "login": "root"}},
            }
        return JSONResponse(body)

    async def _list(self, request: Request) -> Response:
        if self.fails_to_list:
            return refusal("server", "database", 500)
        limit, offset = (int(request.query_params[name]) for name in ("limit", "offset"))
        chosen = request.query_params.get("pollable") == "true"
        stored = [record for record in self.log if (record["event"]["type"] != "UNPOLLABLE") is chosen]
        read_newest = sorted(stored, key=lambda record: -record["event"]["_id"])
        return JSONResponse({"objects": read_newest[offset : offset + limit]})

    async def _poll(self, request: Request) -> Response:
        last = request.path_params["last"]
        self.cursors.append(last)
        await self._stand()
        if self.unruly:
            return self.unruly.pop(0)
        if last < self.lowest:
            return refusal("api", "invalid_value", 400)
        waited = 0.0
        while not (found := self._after(last)) and waited < self.hold:
            await asyncio.sleep(0.01)
            waited += 0.01
        return JSONResponse(found[:1000])

    def _after(self, last: int) -> list[dict[str, Any]]:
        return [
            record for record in self.log if record["event"]["_id"] > last and _is_polled(record["event"])
        ]


def _is_polled(event: dict[str, Any]) -> bool:
    return event["type"] != "UNPOLLABLE" and (event["type"] != "OBJECT_INSERT" or "session_self" in event)


def refusal(realm: str, name: str, status: int) -> Response:
    """An error object of the service (§2.3)."""
    return JSONResponse({"realm": realm, "code": f"error.{realm}.{name}"}, status)
