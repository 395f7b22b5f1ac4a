"""A small HTTP service whose list contains invalid records and whose responses can be replaced."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SECRET = "tok-77-secret"


def record(number: int, **body: object) -> bytes:
    """A valid record, updated with ``body``."""
    event = {"_id": number, "type": "SEARCH", "timestamp": "2026-05-06T12:00:00+00:00", **body}
    user = {"_id": 7, "_generated_displayname": "Ann"}
    return json.dumps({"event": event, "user": user, "_session": {"token": "t"}}).encode()


class OddService:
    """Serves ``log``, the JSON of the records, newest first; ``instead`` are responses used once before."""

    def __init__(self, log: Sequence[bytes]) -> None:
        self.log = list(log)
        self.instead: list[Response] = []
        self.count: object = None  # returned instead of the actual count
        self.deaf = False  # to limit and offset
        self.generous = False  # beyond the limit
        self.requests: list[tuple[int, int]] = []  # limit and offset of each list
        self.deleted: list[int] = []
        self.port = 0

    @property
    def url(self) -> str:
        """The address of the service."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def serve(self) -> Iterator[OddService]:
        """Listens at a free port until the block ends."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port = listening.getsockname()[1]
            api = "/api/v1"
            routes = [
                Route(f"{api}/session", self._session),
                Route(f"{api}/session/authenticate", self._session, methods=["POST"]),
                Route(f"{api}/event/list", self._list),
                Route(f"{api}/event", self._delete, methods=["DELETE"]),
                Route(f"{api}/event/{{number:int}}", self._read),
            ]
            config = uvicorn.Config(
                Starlette(routes=routes), lifespan="off", log_config=None, access_log=False
            )
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
            thread.start()
            while not server.started:
                time.sleep(0.005)
            try:
                yield self
            finally:
                server.should_exit = server.force_exit = True
                thread.join(timeout=10)

    async def _session(self, _request: Request) -> Response:
        return JSONResponse(
            {
                "token": "t",
                "instance": {"name": "odd", "server_version": "5.141.2"},
                "authenticated": {"method": "easydb"},
                "current_max_event_id": 0,
                "system_rights": {"system.root": {}},
                "user": {"user": {"_id": 1, "login": "root"}},
            }
        )

    async def _list(self, request: Request) -> Response:
        params = request.query_params
        limit, offset = int(params["limit"]), int(params["offset"])
        self.requests.append((limit, offset))
        if self.instead:
            return self.instead.pop(0)
        ascending = params.get("sort", "").startswith(("_id.ASC", "timestamp.ASC"))
        log = self.log[::-1] if ascending else self.log
        kinds = [kind.encode() for kind in params.get("type", "").split(",") if kind]
        log = [one for one in log if not kinds or any(b'"%b"' % kind in one for kind in kinds)]
        chosen = log if self.deaf else log[offset : None if self.generous else offset + limit]
        head = b"{" if "skip_count" in params else b'{"count":%b,' % self._counted(log)
        return Response(head + b'"objects":[%b]}' % b",".join(chosen), media_type="application/json")

    def _counted(self, log: Sequence[bytes]) -> bytes:
        return json.dumps(len(log) if self.count is None else self.count).encode()

    async def _read(self, request: Request) -> Response:
        number = request.path_params["number"]
        found = [one for one in self.log if _number(one) == number]
        if not found:
            return JSONResponse({"realm": "user", "code": "error.user.event_not_found"}, 404)
        return Response(found[0], media_type="application/json")

    async def _delete(self, request: Request) -> Response:
        ids = json.loads(await request.body())
        self.deleted += ids
        before = len(self.log)
        self.log = [one for one in self.log if _number(one) not in ids]
        return JSONResponse({"count": before - len(self.log)})


def _number(one: bytes) -> int | None:
    try:
        found = json.loads(one)["event"]["_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, int) else None
