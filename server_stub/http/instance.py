"""Name and versions of this server (wire §2, §6)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from server_stub.http.calls import Services
from server_stub.http.json_schema import INTEGER, STRING, JsonSchema

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


def instance_object(services: Services, connection: Connection) -> dict[str, Any]:
    """Returns `instance` of the session object."""
    name = services.configuration.value(connection, "name")
    return {
        "api": API_VERSION,
        "server_version": SERVER_VERSION,
        "easydb_version": SERVER_VERSION,
        "solution": SOLUTION,
        "user-schema": services.schemas.current_version() or 0,
        "name": name,
        "db-name": services.log.instance,
    }
