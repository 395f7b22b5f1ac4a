"""The declaration of a call, and what its handler gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from hashlib import sha256
from typing import Any

import msgspec

from server_stub.accounts import Session, User
from server_stub.events import Actor, Caller, RequestKey
from server_stub.foundation.errors import UserError
from server_stub.http.parameters import JsonSchema, Parameter
from server_stub.http.requests import ApiRequest
from server_stub.http.responses import Answer
from server_stub.http.services import Services


class Call(msgspec.Struct, frozen=True):
    """One call: the request, the values of its parameters in path and query, and the checked session."""

    services: Services
    request: ApiRequest
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    given_session: Session | None = None

    @property
    def session(self) -> Session:
        """The session. Raises UserError not_authenticated if there is none."""
        if self.given_session is None:
            raise UserError("not_authenticated")
        return self.given_session

    @property
    def user(self) -> User:
        """Who is signed in. Raises UserError not_authenticated."""
        if (user := self.session.user) is None:
            raise UserError("not_authenticated")
        return user

    @property
    def caller(self) -> Caller:
        """The reader of the records."""
        session = self.session
        return Caller(session.reference, session.user.id if session.user else None)

    @property
    def actor(self) -> Actor:
        """Who causes the events of this call. Raises UserError not_authenticated."""
        actor = self.session.actor(self.request.ipv4_address)
        if actor is None:
            raise UserError("not_authenticated")
        return actor

    @property
    def key(self) -> RequestKey | None:
        """By what a repeated insertion is recognized, if it has an `Idempotency-Key`."""
        given = self.request.headers.get("idempotency-key")
        if not given:
            return None
        key, content = f"{self.user.id} {given}".encode(), self.request.content
        return RequestKey(sha256(key).hexdigest(), sha256(content).hexdigest(), self.services.now())


class Access(Enum):
    """Who may make a call, before its right is checked."""

    # Answered also while the database, in which the sessions are, does not answer.
    PUBLIC = "no token needed; one that is sent is ignored"
    ANYBODY = "no token needed"
    SESSION = "any session"
    SIGNED_IN = "an authenticated session"


class Origin(StrEnum):
    """The origin of a call; clients of other servers must not rely on the last kind."""

    CONTRACT = "contract"
    DEPLOYED = "deployed services"
    OURS = "addition of this server"


class Workload(Enum):
    """How long a call takes, and what it waits for; each kind has threads of its own."""

    POLL = "one short read"
    LIST = "reads of a page of events"
    READ = "reads of anything else"
    STATE = "an answer within a second, also while the database does not answer"
    WRITE = "one short transaction, which may wait for other writers"
    HEAVY = "seconds"
    DRAWING = "seconds, most of them in another process"


# The default limit of a body in bytes.
MAX_BODY_BYTES = 1 << 20


class Body(msgspec.Struct, frozen=True):
    """A request body by media type, and how many bytes it may have."""

    forms: Mapping[str, JsonSchema]
    required: bool = True
    max_bytes: int = MAX_BODY_BYTES


def json_of(schema: JsonSchema) -> Mapping[str, JsonSchema]:
    """The forms of a body or an answer that is always JSON."""
    return {"application/json": schema}


@dataclass(frozen=True)
class Endpoint:
    """One call; `refusal_status` is the status of not_authenticated and no_system_right (§4)."""

    method: str
    path: str
    handler: Callable[[Call], Answer]
    section: str
    access: Access = Access.SIGNED_IN
    right: str | None = None
    refusal_status: int = 400
    parameters: tuple[Parameter, ...] = ()
    # Whether unknown parameters are ignored: vendors' clients send some where nothing can be lost by it.
    allows_unknown: bool = False
    path_parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    # Headers of requests, and of successful answers, with their meanings.
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, JsonSchema] = field(default_factory=lambda: json_of({}))
    # Successful answers with other statuses than 200.
    other_answers: Mapping[int, Mapping[str, JsonSchema]] = field(default_factory=dict)
    generation: int = 5
    # Where the call is if not at the prefixes of its dialect.
    prefixes: tuple[str, ...] | None = None
    # The user errors of the call itself, without those of session and right; None: any may come.
    user_errors: tuple[str, ...] | None = None
    origin: Origin = Origin.CONTRACT
    # How much work the call is: in general, and for some values of the parameter `format`.
    workload: Workload = Workload.READ
    workload_by_format: Mapping[str, Workload] = field(default_factory=dict)
    # May use the space that is reserved for deleting, and for logging in to delete, when the disk is full.
    uses_reserve: bool = False
    # Polling does not keep a session alive (wire §2).
    prolongs_session: bool = True

    @property
    def max_body_bytes(self) -> int:
        """How many bytes the body may have; a call that takes none ignores it up to here."""
        return self.body.max_bytes if self.body else MAX_BODY_BYTES
