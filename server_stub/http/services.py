"""The services of a server, which know nothing of HTTP: what the handlers of every call use."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from threading import Lock
from typing import Any
from uuid import uuid4

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts import ROOT, Configuration, OAuth, Session, Sessions, Users, allows
from server_stub.database import Database
from server_stub.database.sqlite import write_obstacle
from server_stub.database.tables import server_error
from server_stub.events import EventLog
from server_stub.foundation.errors import ServerError
from server_stub.foundation.masking import mask_secrets
from server_stub.foundation.times import to_wire
from server_stub.schema import Objects, Schemas


class Services(msgspec.Struct, frozen=True):
    """The services that handlers use; `started` and `now()` are epoch seconds."""

    database: Database
    log: EventLog
    error_reports: ErrorReports
    users: Users
    sessions: Sessions
    oauth: OAuth
    configuration: Configuration
    schemas: Schemas
    objects: Objects
    instance: Instance
    started: int
    now: Callable[[], int]


log = logging.getLogger(__name__)

API_VERSION = "1"
# The interface as of its newest named part (§9.2); clients detect features by it.
SERVER_VERSION = "5.140.0"
SOLUTION = "reference"
# How long a database is waited for that does not answer.
_STATE_SECONDS = 0.4


class Instance:
    """This installation: its name, its versions and the version of its schema."""

    def __init__(
        self, database: Database, configuration: Configuration, schemas: Schemas, log: EventLog
    ) -> None:
        self._database = database
        self._configuration = configuration
        self._schemas = schemas
        self._log = log
        self._last_known = ("", 0)
        self._was_reindexing = False

    def state(self) -> dict[str, Any]:
        """The same as `to_object`, within a second: with the last known values if the database is silent."""
        self._database.answers(_STATE_SECONDS)
        return self.to_object()

    def to_object(self) -> dict[str, Any]:
        """Returns `instance` of the session object, with the last known values if the database fails."""
        if not self._database.is_silent:
            self._read()
        name, version = self._last_known
        return {
            "api": API_VERSION,
            "server_version": SERVER_VERSION,
            "easydb_version": SERVER_VERSION,
            "solution": SOLUTION,
            "user-schema": version,
            "name": name,
            "db-name": self._log.instance,
        }

    def _read(self) -> None:
        try:
            with self._database.read() as connection:
                name = str(self._configuration.value(connection, "name"))
            self._last_known = (name, self._schemas.current_version() or 0)
        except SQLAlchemyError as error:
            log.warning("The instance is described as it last was: %s", str(error).partition("\n")[0])

    def schema_version(self) -> int:
        """The number of CURRENT, 0 if there is none; the last known one if the database fails."""
        try:
            if not self._database.is_silent:
                self._last_known = (self._last_known[0], self._schemas.current_version() or 0)
        except SQLAlchemyError as error:
            log.warning("The schema version in the header may be old: %s", str(error).partition("\n")[0])
        return self._last_known[1]

    def is_reindexing(self) -> bool:
        """Whether any process reindexes objects, or was when the database answered last."""
        try:
            if not self._database.is_silent:
                self._was_reindexing = self._schemas.is_reindexing()
        except SQLAlchemyError as error:
            log.warning("The state in the header may be old: %s", str(error).partition("\n")[0])
        return self._was_reindexing


_MAX_UNSTORED = 100


class ErrorReports:
    """The stored details of the server errors of one database."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now
        # The details of the latest errors that could not be stored, by uuid, oldest first.
        self._unstored: dict[str, str] = {}
        self._lock = Lock()  # calls fail in several threads at once

    def keep(
        self, error: ServerError, method: str, path: str, parameters: Iterable[str], session: Session | None
    ) -> str:
        """Logs an error and stores its details; returns their uuid.

        Details that cannot be stored, because the database fails, are kept in the memory of this process.

        `parameters` are the names in the query: their values may be secrets.
        """
        trace = mask_secrets("".join(traceback.format_exception(error.__cause__ or error)))
        passes = error.status == HTTPStatus.SERVICE_UNAVAILABLE
        if passes or (error.__cause__ is not None and write_obstacle(error.__cause__) is not None):
            # No defect, and others fail like this.
            level = logging.WARNING if passes else logging.ERROR
            log.log(level, "%s on %s %s: %s", error.code, method, path, error.description)
        else:
            log.error("%s on %s %s\n%s", error.code, method, path, trace)
        uuid, second = str(uuid4()), self._now()
        query = "&".join(f"{name}=…" for name in parameters)
        details = {
            "code": error.code,
            "description": error.description,
            "timestamp": to_wire(second),
            "request": {"method": method, "url": mask_secrets(f"{path}?{query}" if query else path)},
            "session": session.reference if session else None,
            "user": session.user.id if session and session.user else None,
            "log": trace,
        }
        text = msgspec.json.encode(details).decode()
        values = {"uuid": uuid, "timestamp": second, "details": text}
        if self._database.is_silent or not self._store(values):
            with self._lock:
                self._unstored[uuid] = text
                while len(self._unstored) > _MAX_UNSTORED:
                    del self._unstored[next(iter(self._unstored))]
        return uuid

    def _store(self, values: Mapping[str, object]) -> bool:
        try:
            with self._database.write() as connection:
                connection.execute(insert(server_error).values(values))
        except SQLAlchemyError as reason:
            cause = str(reason).partition("\n")[0]
            log.warning("The details of a server error are kept in memory only: %s", cause)
            return False
        return True

    def details(self, uuid: str, reader: Session) -> dict[str, Any] | None:
        """The details stored under a uuid; the traceback only for root and for who caused the error."""
        text = self._unstored.get(uuid)
        if text is None:
            with self._database.read() as connection:
                chosen = select(server_error.c.details).where(server_error.c.uuid == uuid)
                text = connection.execute(chosen).scalar()
        if text is None:
            return None
        found: dict[str, Any] = msgspec.json.decode(text)
        user = found.pop("user", None)
        who = reader.user
        if who is None or not (who.id == user or allows(who.rights, ROOT)):
            del found["log"]
        return found
