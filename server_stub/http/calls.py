"""The arguments of the handlers of calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from server_stub.accounts import Configuration, Session, Sessions, Users
from server_stub.database import Database
from server_stub.events import Actor, Caller, EventLog
from server_stub.foundation.errors import UserError
from server_stub.http.error_reports import ErrorReports
from server_stub.http.instance import Instance
from server_stub.http.requests import ApiRequest
from server_stub.schema import Objects, Schemas


class Services(msgspec.Struct, frozen=True):
    """The services that handlers use; `started` and `now()` are epoch seconds."""

    database: Database
    log: EventLog
    error_reports: ErrorReports
    users: Users
    sessions: Sessions
    configuration: Configuration
    schemas: Schemas
    objects: Objects
    instance: Instance
    started: int
    now: Callable[[], int]


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
