"""Details of server errors (wire §4), stored under a uuid and without secrets."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable
from uuid import uuid4

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.exc import SQLAlchemyError

from server_stub.database import Database
from server_stub.database.tables import server_error
from server_stub.foundation.errors import ServerError
from server_stub.foundation.masking import mask_secrets
from server_stub.foundation.times import to_wire

log = logging.getLogger(__name__)


class ErrorReports:
    """The stored details of the server errors of one database."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    def keep(
        self, error: ServerError, method: str, path: str, parameters: Iterable[str], session: str | None
    ) -> str | None:
        """Logs an error and stores its details; returns their uuid, or None if they cannot be stored.

        `parameters` are the names in the query: their values may be secrets. `session` is the public
        reference of the session.
        """
        trace = mask_secrets("".join(traceback.format_exception(error.__cause__ or error)))
        log.error("%s on %s %s\n%s", error.code, method, path, trace)
        uuid, second = str(uuid4()), self._now()
        query = "&".join(f"{name}=…" for name in parameters)
        details = {
            "code": error.code,
            "description": error.description,
            "timestamp": to_wire(second),
            "request": {"method": method, "url": mask_secrets(f"{path}?{query}" if query else path)},
            "session": session,
            "log": trace,
        }
        values = {"uuid": uuid, "timestamp": second, "details": msgspec.json.encode(details).decode()}
        try:
            with self._database.write() as connection:
                connection.execute(insert(server_error).values(values))
        except SQLAlchemyError:
            log.exception("The details of a server error could not be stored")
            return None
        return uuid

    def details(self, uuid: str) -> str | None:
        """Returns the details stored under a uuid as JSON text."""
        with self._database.read() as connection:
            chosen = select(server_error.c.details).where(server_error.c.uuid == uuid)
            found: str | None = connection.execute(chosen).scalar()
            return found
