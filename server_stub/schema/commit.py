"""Makes HEAD current inside one transaction (§4.8): plan, steps, version, event, in this order."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from server_stub.database.ddl_support import dangling_links
from server_stub.errors import UserError
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.schema.execution import execute
from server_stub.schema.layout import as_json
from server_stub.schema.model import Schema
from server_stub.schema.plan import make_plan
from server_stub.schema.reading import read_schema
from server_stub.schema.versions import Versions

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit came to: the number of CURRENT, and the top-level tables whose objects it touched."""

    version: int
    reindex: tuple[str, ...] = ()


def commit_head(connection: Connection, log: EventLog, actor: Actor, timestamp: int) -> Commit:
    """Commits the saved HEAD; nothing happens where nothing was saved since the last commit.

    Needs a transaction in which foreign keys are not enforced, and rolls nothing back itself. Raises the
    UserError of the constraint that existing rows would break, or instance_not_found without any version.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.saved_head()
    if head is None:
        if current is None:
            raise UserError("instance_not_found", id="HEAD")
        return Commit(current["version"])
    before = None if current is None else read_schema(current)
    _change_tables(connection, before, read_schema(head))
    versions.commit_head(timestamp, actor.user_id)
    version = head["version"]
    info = as_json({"schema": version})
    log.append(connection, [EventDraft("SCHEMA_COMMIT", timestamp, actor, pollable=True, info=info)])
    _LOG.info("schema version %d committed", version)
    return Commit(version, changed_tables(current, head))


def _change_tables(connection: Connection, before: Schema | None, after: Schema) -> None:
    try:
        execute(connection, make_plan(before, after))
    except IntegrityError as error:
        raise UserError("integrity_constraint_violation", constraint=str(error.orig)) from error
    for table, column in dangling_links(connection):
        raise UserError("foreign_key_constraint_violation", constraint=f"{table}.{column}")


def changed_tables(current: Mapping[str, Any] | None, head: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the top-level tables that differ, in themselves or in a nested table."""
    old = {table["table_id"]: table for table in (current or {"tables": ()})["tables"]}
    schema = read_schema(head)
    kept = {table["table_id"]: table for table in head["tables"]}
    roots = {schema.root_of(table).name for table in schema.tables if old.get(table.id) != kept[table.id]}
    return tuple(table.name for table in schema.tables if table.name in roots)
