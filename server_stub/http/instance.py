"""Name and versions of this server (wire §2, §6)."""

from __future__ import annotations

import logging
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts import Configuration
from server_stub.database import Database
from server_stub.events import EventLog
from server_stub.http.json_schema import INTEGER, STRING, JsonSchema
from server_stub.schema import Schemas

log = logging.getLogger(__name__)

API_VERSION = "1"
# The interface as of its newest named part (§9.2); clients detect features by it.
SERVER_VERSION = "5.140.0"
SOLUTION = "reference"


# Its JSON schema.
INSTANCE: dict[str, JsonSchema] = {
    "name": STRING,
    "api": STRING,
    "server_version": STRING,
    "easydb_version": STRING,
    "solution": STRING,
    "user-schema": INTEGER,
    "db-name": STRING,
}


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

    def to_object(self) -> dict[str, Any]:
        """Returns `instance` of the session object, with the last known values if the database fails."""
        try:
            with self._database.read() as connection:
                name = str(self._configuration.value(connection, "name"))
            self._last_known = (name, self._schemas.current_version() or 0)
        except SQLAlchemyError as error:
            log.warning("The instance is described as it last was: %s", str(error).partition("\n")[0])
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

    def schema_version(self) -> int:
        """The number of CURRENT, 0 if there is none; the last known one if the database fails."""
        try:
            self._last_known = (self._last_known[0], self._schemas.current_version() or 0)
        except SQLAlchemyError as error:
            log.warning("The schema version in the header may be old: %s", str(error).partition("\n")[0])
        return self._last_known[1]
