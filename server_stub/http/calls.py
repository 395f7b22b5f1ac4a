"""What a call is made of: what came in, what the handler gets and answers; knows no path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from tempfile import TemporaryFile
from typing import IO, Any

import msgspec

from server_stub.accounts import Configuration, Session, Sessions, Users
from server_stub.database import Database
from server_stub.events import Actor, Caller, EventLog
from server_stub.foundation.errors import UserError
from server_stub.http.error_reports import ErrorReports
from server_stub.schema import Schemas

JSON = "application/json; charset=utf-8"
_IN_MEMORY = 4 << 20


class Services(msgspec.Struct, frozen=True):
    """Everything that handlers work with; `started` and `now()` in epoch seconds."""

    database: Database
    log: EventLog
    error_reports: ErrorReports
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
    """What goes back; `after` runs in the background once the answer is sent.

    A large body is a temporary file, read from its beginning and closed by whoever sends the answer.
    """

    body: bytes | IO[bytes]
    media_type: str = JSON
    status: int = 200
    filename: str | None = None
    # JSON that is indented already where that was asked for.
    is_formatted: bool = False
    after: Callable[[], object] | None = None


def spooled(parts: Iterable[bytes]) -> bytes | IO[bytes]:
    """A body of these parts: in memory where it is small, otherwise in a temporary file.

    Neither a large answer nor a client that takes it slowly keeps memory, a thread or a transaction of the
    database; and what fails while the parts are made is still answered by an error object.
    """
    kept: list[bytes] = []
    size, rest = 0, iter(parts)
    for part in rest:
        kept.append(part)
        size += len(part)
        if size > _IN_MEMORY:
            break
    else:
        return b"".join(kept)
    file = TemporaryFile()  # noqa: SIM115 - it is closed once it is sent
    try:
        file.writelines(kept)
        kept.clear()
        file.writelines(rest)
    except BaseException:
        file.close()
        raise
    return file


def json_answer(value: object, *, after: Callable[[], object] | None = None) -> Answer:
    """An answer with a value as JSON."""
    return Answer(msgspec.json.encode(value), after=after)


class Call(msgspec.Struct, frozen=True):
    """What a handler is given: the checked session, the parsed parameters, the body."""

    services: Services
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
    def caller(self) -> Caller:
        """For whom records are made."""
        session = self.session
        return Caller(session.reference, session.user.id if session.user else None)

    @property
    def actor(self) -> Actor:
        """Who causes the events of this call."""
        actor = self.session.actor(self.incoming.ipv4_address)
        if actor is None:
            raise UserError("not_authenticated")
        return actor
