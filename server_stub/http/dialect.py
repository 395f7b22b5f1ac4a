"""A dialect: how one generation of the interface offers the services over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import msgspec

from server_stub.database import Reader
from server_stub.database.sqlite import SpaceState
from server_stub.events import Caller
from server_stub.foundation.errors import ContractError, ServerError
from server_stub.http.endpoint import Access, Call, Endpoint, Origin, Workload, json_of
from server_stub.http.openapi import Description, describe
from server_stub.http.parameters import BOOLEAN, INTEGER, OBJECT, record
from server_stub.http.requests import ApiRequest
from server_stub.http.responses import Answer, json_answer
from server_stub.http.services import Services


@dataclass(frozen=True)
class Stream:
    """A WebSocket with a text frame for each new event.

    `endpoint` describes the request that opens it. `poll` reads records as a poll returns them: those after
    an id, at most so many, comma-separated.
    """

    endpoint: Endpoint
    poll: Callable[[Services, Reader, Caller, int, int], bytes]


@dataclass(frozen=True)
class Dialect:
    """What differs between the generations of the interface: everything else is in the services.

    `error_answer` gets an error, the uuid of its stored details, the call, if there is such a one, and
    whether the database can only be read. `headers` are those of every answer, `fixed_headers` those that an
    answer has for which the database is not queried. `indents`: JSON is indented unless a request refuses it.
    """

    generation: int
    prefixes: tuple[str, ...]
    read_token: Callable[[ApiRequest], str | None]
    error_answer: Callable[[ContractError, str | None, Endpoint | None, bool], Answer]
    fixed_headers: Mapping[str, str]
    headers: Callable[[Services], Mapping[str, str]]
    description: Description
    endpoints: tuple[Endpoint, ...] = field(default=(), repr=False)
    stream: Stream | None = None
    indents: bool = False

    def with_calls(self, calls: Iterable[Endpoint]) -> Dialect:
        """The dialect with further calls, all of which its description contains."""
        known = (each for each in self.endpoints if each.path != _DESCRIPTION)
        every = tuple(replace(each, generation=self.generation) for each in (*known, *calls))

        @cache
        def described() -> bytes:
            return msgspec.json.encode(describe((*every, described_by), self.description))

        def description(_: Call) -> Answer:
            """GET openapi.json: describes every call of this server, this one included."""
            return Answer(described())

        described_by = Endpoint(
            "GET",
            _DESCRIPTION,
            description,
            "1",
            Access.ANYBODY,
            allows_unknown=True,
            answers=json_of(OBJECT),
            generation=self.generation,
            user_errors=(),
            origin=Origin.OURS,
        )
        return replace(self, endpoints=(*every, described_by))


_DESCRIPTION = "/openapi.json"
# Load balancers get their answer within a second.
_READY_SECONDS = 0.5


def ready(call: Call) -> Answer:
    """GET ready (our addition): whether the database answers, for load balancers; 503 if it does not."""
    if not call.services.database.answers(_READY_SECONDS):
        refusal = ServerError("database", "The database does not answer.")
        refusal.status = 503
        raise refusal
    space = call.services.database.disk_space
    disk = {} if space is None else {"disk": _disk_object(space.state())}
    return json_answer({"ready": True, **disk})


def _disk_object(state: SpaceState) -> dict[str, object]:
    """With less than the watermark only deletions and log-ins are stored."""
    return {**state._asdict(), "is_low": state.is_low}


_DISK = record({"free_bytes": INTEGER, "watermark_bytes": INTEGER, "is_low": BOOLEAN})


READY = Endpoint(
    "GET",
    "/ready",
    ready,
    "9",
    Access.PUBLIC,
    allows_unknown=True,
    answers=json_of(record({"ready": {"const": True}}, disk=_DISK)),
    user_errors=(),
    origin=Origin.OURS,
    workload=Workload.STATE,
)
