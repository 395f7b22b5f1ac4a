"""The stream of new events, which `http/stream.py` serves: how it is described and what its frames are."""

from __future__ import annotations

from server_stub.database import Reader
from server_stub.events import Caller, RecordForm
from server_stub.http.dialect import Stream
from server_stub.http.endpoint import Call, Endpoint, Workload
from server_stub.http.responses import Answer
from server_stub.http.routes.generation6.errors import RefusalError
from server_stub.http.services import Services


def stream(_: Call) -> Answer:
    """GET event/stream by a request that is none for a WebSocket."""
    raise RefusalError("ServerGeneric", "This call is the request for a WebSocket: it needs an Upgrade.")


def _poll(services: Services, reader: Reader, caller: Caller, last: int, limit: int) -> bytes:
    return services.log.poll(reader, caller, last, limit, RecordForm.WHOLE)


ENDPOINTS = (
    Endpoint(
        "GET",
        "/event/stream",
        stream,
        "9",
        answers={},
        other_answers={101: {}},
        user_errors=(),
        workload=Workload.POLL,
        prolongs_session=False,
    ),
)

STREAM = Stream(ENDPOINTS[0], _poll)
