"""What a call is made of: what came in, what the handler gets and answers; knows no path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from server_stub.accounts import Configuration, Session, Sessions, Users
from server_stub.database import Database
from server_stub.errors import UserError
from server_stub.events import Actor, Asker, EventLog, FaultLog
from server_stub.schema import Schemas

JSON = "application/json; charset=utf-8"


class Rooms(msgspec.Struct, frozen=True):
    """Everything that handlers work with; `started` and `now()` in epoch seconds."""

    database: Database
    log: EventLog
    faults: FaultLog
    users: Users
    sessions: Sessions
    configuration: Configuration
    schemas: Schemas
    started: int
    now: Callable[[], int]


class Incoming(msgspec.Struct, frozen=True):
    """One HTTP request, taken apart; `query` holds neither the token nor `pretty`.

    `secrets` must not be written down anywhere, the token among them.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_type: str = ""
    token: str | None = None
    ipv4_address: str | None = None
    pretty: bool = True
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Incoming({self.method} {self.path})"


class Answer(msgspec.Struct, frozen=True):
    """What goes back; `after` runs in the background once the answer is sent."""

    body: bytes
    media_type: str = JSON
    status: int = 200
    filename: str | None = None
    after: Callable[[], object] | None = None


def json_answer(value: object, *, after: Callable[[], object] | None = None) -> Answer:
    """An answer with a value as JSON."""
    return Answer(msgspec.json.encode(value), after=after)


class Call(msgspec.Struct, frozen=True):
    """What a handler is given: the checked session, the parsed parameters, the body."""

    rooms: Rooms
    incoming: Incoming
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    found: Session | None = None

    @property
    def session(self) -> Session:
        """The session; only calls that need none may meet the error not_authenticated here."""
        if self.found is None:
            raise UserError("not_authenticated")
        return self.found

    @property
    def asker(self) -> Asker:
        """For whom records are made."""
        session = self.session
        return Asker(session.reference, session.user.id if session.user else None)

    @property
    def actor(self) -> Actor:
        """Who causes the events of this call."""
        actor = self.session.actor(self.incoming.ipv4_address)
        if actor is None:
            raise UserError("not_authenticated")
        return actor
