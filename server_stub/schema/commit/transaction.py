"""Makes HEAD current inside one transaction (§4.8): plan, steps, version, event, in this order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from server_stub.database.ddl_support import dangling_links, may_link_ahead
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.foundation.errors import UserError
from server_stub.schema.commit.plan import make_plan
from server_stub.schema.commit.step_execution import execute
from server_stub.schema.commit.storage_layout import to_json
from server_stub.schema.document.model import Schema, items, read_schema
from server_stub.schema.versions import Versions

_LOG = logging.getLogger(__name__)


class CommitResult(msgspec.Struct, frozen=True):
    """The number of CURRENT, and the top-level tables whose objects need reindexing."""

    version: int
    reindex: tuple[str, ...] = ()


def commit_head(connection: Connection, log: EventLog, actor: Actor, now: Callable[[], int]) -> CommitResult:
    """Commits the saved HEAD; does nothing if nothing was saved since the last commit.

    Needs a transaction that does not enforce foreign keys, which the caller rolls back after an error. Raises
    the UserError of the constraint that existing rows violate, or instance_not_found without any version.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.saved_head()
    if head is None:
        if current is None:
            raise UserError("instance_not_found", id="HEAD")
        return CommitResult(current["version"])
    before = None if current is None else read_schema(current)
    version, timestamp = head["version"], now()
    after = read_schema(head)
    try:
        execute(connection, make_plan(before, after, link_ahead=may_link_ahead(connection)), version, now)
    except IntegrityError as error:
        raise UserError("integrity_constraint_violation", constraint=str(error.orig)) from error
    for table, column in dangling_links(connection):
        raise UserError("foreign_key_constraint_violation", constraint=f"{table}.{column}")
    versions.commit_head(timestamp, actor.user_id)
    info = to_json({"schema": version})
    log.append(connection, [EventDraft("SCHEMA_COMMIT", timestamp, actor, pollable=True, info=info)])
    _LOG.info("schema version %d committed", version)
    return CommitResult(version, _changed_tables(current, head, after))


def _changed_tables(
    current: Mapping[str, Any] | None, head: Mapping[str, Any], schema: Schema
) -> tuple[str, ...]:
    """The names of the top-level tables of `head`, read as `schema`, that differ or whose nested tables do.

    A table that only links to a renamed table does not differ: objects hold ids.
    """
    old = {table["table_id"]: _content(table) for table in (current or {"tables": ()})["tables"]}
    new = {table["table_id"]: _content(table) for table in head["tables"]}
    changed = (table for table in schema.tables if old.get(table.id) != new[table.id])
    roots = {schema.root_of(table).name for table in changed}
    return tuple(table.name for table in schema.tables if table.name in roots)


def _content(table: Mapping[str, Any]) -> Any:
    """A table without the names of other tables in hints and in generated names of foreign keys."""
    keys = [{**_without_hints(key), "name": None} for key in items(table, "foreign_keys")]
    return _without_hints({**table, "foreign_keys": keys})


def _without_hints(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: _without_hints(part) for name, part in value.items() if not name.endswith("name_hint")
            }
        case list():
            return [_without_hints(part) for part in value]
    return value
