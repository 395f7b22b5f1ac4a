"""The log of server errors (wire §4): details kept under a uuid, without secrets; knows no HTTP."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from sqlalchemy import insert, select

from server_stub.database import Database
from server_stub.database.tables import server_error


class FaultLog:
    """Details of the server errors of one database."""

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now

    def keep(self, describe: Callable[[str, int], str]) -> str:
        """Keeps what `describe(uuid, second)` answers, the JSON text of the details; answers the uuid."""
        uuid, second = str(uuid4()), self._now()
        values = {"uuid": uuid, "timestamp": second, "details": describe(uuid, second)}
        with self._database.write() as connection:
            connection.execute(insert(server_error).values(values))
        return uuid

    def details(self, uuid: str) -> str | None:
        """The JSON text kept under a uuid."""
        with self._database.read() as connection:
            chosen = select(server_error.c.details).where(server_error.c.uuid == uuid)
            found: str | None = connection.execute(chosen).scalar()
            return found
