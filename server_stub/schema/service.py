"""The schema service: reads, saves, previews, commits and reindexes, each in its own transactions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, column, insert, select, table, update

from server_stub.database import Database, WriteLock
from server_stub.database.tables import counter
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.foundation.memory import young_collected
from server_stub.schema.commit.impact import preview_commit
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, VERSION, physical_table_name
from server_stub.schema.commit.transaction import (
    Approve,
    CommitResult,
    commit_head,
    count_objects,
    removed_objects,
)
from server_stub.schema.document.model import read_schema
from server_stub.schema.versions import (
    Versions,
    check_entity_tag,
    current_number,
    new_head,
    read_between_commits,
)

_REINDEXED_PER_TRANSACTION = 1000
# The row of the counters that says until when objects are reindexed, and how long before that it is renewed.
_REINDEXING = "reindexing"
_REINDEXING_SECONDS = 60
_REINDEXING_UNTIL = select(counter.c.value).where(counter.c.name == _REINDEXING)

ApproveHead = Callable[[Mapping[str, Any], Mapping[str, int]], None]


class Schemas:
    """The versions of the user database schema and the tables that follow them (§2.4)."""

    def __init__(self, database: Database, log: EventLog, now: Callable[[], int]) -> None:
        self._database = database
        self._log = log
        self._now = now

    def is_reindexing(self) -> bool:
        """Whether any process reindexes objects after a commit."""
        with self._database.reader() as reader:
            until = reader.scalar(_REINDEXING_UNTIL, {})
        return bool(until) and int(until) > self._now()

    def read(self, pointer: str) -> dict[str, object]:
        """The document that "HEAD", "CURRENT" or a number names (§4.6).

        Raises UserError instance_not_found (404) or, for anything else, ApiError invalid_value.
        """
        with self._database.read() as connection:
            return Versions(connection).at(pointer)

    def current_version(self) -> int | None:
        """The number of CURRENT, None before the first commit."""
        with self._database.reader() as reader:
            return current_number(reader)

    def committed_at(self, version: int) -> int | None:
        """When a version was committed, None for HEAD."""
        with self._database.read() as connection:
            return Versions(connection).committed_at(version)

    def counts(self) -> dict[int, tuple[str, int]]:
        """Name and number of objects of each top-level table of CURRENT, by id; none before a commit."""

        def counted(connection: Connection) -> dict[int, tuple[str, int]]:
            tables = (Versions(connection).current() or {"tables": ()})["tables"]
            top = (each for each in tables if each.get("owned_by") is None)
            return {each["table_id"]: (each["name"], count_objects(connection, each["name"])) for each in top}

        return read_between_commits(self._database, counted)

    def save_head(
        self, document: object, approve: ApproveHead | None = None, if_match: str | None = None
    ) -> dict[str, object]:
        """Makes a posted document the new HEAD and returns it with ids and name hints (§4.7).

        `approve` gets it before, with the numbers of objects of tables that it removes; what it raises ends
        the call. `if_match` names what HEAD must be until then (our addition).

        Raises UserError version_mismatch, invalid_table_name, invalid_column_name, or an ApiError.
        """
        with self._database.write(WriteLock.SCHEMA) as connection:
            versions = Versions(connection)
            current = versions.current()
            head = versions.head()
            check_entity_tag(head, if_match)
            made = new_head(document, head, current)
            if approve is not None:
                before = None if current is None else read_schema(current)
                approve(made, removed_objects(connection, before, read_schema(made)))
            versions.save_head(made)
            return made

    def plan(self) -> dict[str, Any]:
        """What committing HEAD would do now, with the rows that each step affects (our addition).

        Raises UserError instance_not_found (404) before the first schema.
        """
        return read_between_commits(self._database, preview_commit)

    def commit(self, actor: Actor, approve: Approve | None = None) -> CommitResult:
        """Makes HEAD current and changes the tables accordingly, or changes nothing at all (§4.8).

        `approve` gets what is about to happen; what it raises ends the commit.

        Raises the UserError of the constraint that existing rows would break.
        """
        with (
            young_collected(),
            self._database.write(WriteLock.SCHEMA, foreign_keys=False) as connection,
        ):
            return commit_head(connection, self._log, actor, self._now, approve)

    def reindex(self, tables: Sequence[str], *, generate_events: bool) -> int:
        """Reindexes all objects of top-level tables; returns the number of events written (§4.8).

        This server searches its tables without an index, so without events there is nothing to do. The next
        commit may rename or drop a table meanwhile, which ends the work on that table.
        """
        if not generate_events or not tables:
            return 0
        with self._database.write(WriteLock.SCHEMA) as connection:
            self._announce_reindexing(connection, _REINDEXING_SECONDS)
        count = sum(self._reindex(name) for name in tables)
        with self._database.write(WriteLock.SCHEMA) as connection:
            self._announce_reindexing(connection, 0)
        return count

    def _announce_reindexing(self, connection: Connection, seconds: int) -> None:
        """Lets all processes say that objects are reindexed; not for long: this one may be killed."""
        named = counter.c.name == _REINDEXING
        changed = update(counter).where(named).values(value=self._now() + seconds)
        if not connection.execute(changed).rowcount:
            connection.execute(insert(counter).values(name=_REINDEXING, value=self._now() + seconds))

    def names(self, pointer: str) -> dict[str, dict[str, str]]:
        """The localised names of a version (wire §6); the errors of `read`."""
        with self._database.read() as connection:
            return Versions(connection).names(pointer)

    def save_names(self, pointer: str, names: Mapping[str, object]) -> dict[str, dict[str, str]]:
        """Replaces the localised names of a version (wire §6); also ApiError type_mismatch."""
        with self._database.write(WriteLock.SCHEMA) as connection:
            return Versions(connection).save_names(pointer, names)

    def _reindex(self, table_name: str) -> int:
        """Writes an OBJECT_INDEX event for each object of a top-level table; returns their number."""
        count = 0
        last: int | None = None
        while objects := self._reindex_page(table_name, last):
            count, last = count + len(objects), objects[-1][0]
        return count

    def _reindex_page(self, table_name: str, last: int | None) -> list[tuple[int, int]]:
        with self._database.write(WriteLock.SCHEMA) as connection:
            self._announce_reindexing(connection, _REINDEXING_SECONDS)
            objects = _objects_after(connection, table_name, last)
            self._log.append(connection, [self._index_event(table_name, *found) for found in objects])
            return objects

    def _index_event(self, table_name: str, object_id: int, version: int) -> EventDraft:
        return EventDraft(
            "OBJECT_INDEX",
            self._now(),
            pollable=True,
            schema="USER",
            objecttype=table_name,
            object_id=object_id,
            object_version=version,
        )


def _objects_after(connection: Connection, table_name: str, last: int | None) -> list[tuple[int, int]]:
    """Ids and versions of a page of objects; none if CURRENT has no such top-level table."""
    current = Versions(connection).current() or {"tables": ()}
    if not any(each["name"] == table_name and each.get("owned_by") is None for each in current["tables"]):
        return []
    objects = table(physical_table_name(table_name), column(PRIMARY_KEY), column(VERSION))
    key = objects.c[PRIMARY_KEY]
    page = select(key, objects.c[VERSION]).order_by(key).limit(_REINDEXED_PER_TRANSACTION)
    found = connection.execute(page if last is None else page.where(key > last))
    return [(int(object_id), int(version)) for object_id, version in found]
