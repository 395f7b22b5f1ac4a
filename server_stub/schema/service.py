"""Reads, saves, plans, commits and reindexes the schema, each in transactions of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, column, select, table

from server_stub.database import Database
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.schema.commit.layout import PRIMARY_KEY, VERSION, physical_table_name
from server_stub.schema.commit.preview import preview
from server_stub.schema.commit.transaction import Commit, commit_head
from server_stub.schema.head import new_head
from server_stub.schema.versions import Localization, Versions, current_number


class Schemas:
    """The versions of the user database schema and the tables that follow them (§2.4)."""

    def __init__(self, database: Database, log: EventLog, now: Callable[[], int]) -> None:
        self._database = database
        self._log = log
        self._now = now
        self._localization = Localization(database, self)

    def read(self, pointer: str) -> dict[str, object]:
        """The document that "HEAD", "CURRENT" or a number names (§4.6).

        Raises UserError instance_not_found (404) or, for anything else, ApiError invalid_value.
        """
        with self._database.read() as connection:
            return Versions(connection).at(pointer)

    def version_of(self, pointer: str) -> int:
        """The number of a version; the errors of `read`."""
        with self._database.read() as connection:
            return int(Versions(connection).at(pointer)["version"])

    def current_version(self) -> int | None:
        """The number of CURRENT, None before the first commit."""
        with self._database.reading() as reader:
            return current_number(reader)

    def save_head(self, document: object) -> dict[str, object]:
        """Makes a posted document the new HEAD and answers it with ids and hints (§4.7).

        Raises UserError version_mismatch, invalid_table_name, invalid_column_name, or an ApiError.
        """
        with self._database.write() as connection:
            versions = Versions(connection)
            made = new_head(document, versions.head(), versions.current())
            versions.save_head(made)
            return made

    def plan(self) -> dict[str, Any]:
        """What committing HEAD would do now, with the rows at stake; changes nothing (our addition).

        Raises UserError instance_not_found (404) before the first schema.
        """
        with self._database.read() as connection:
            return preview(connection)

    def commit(self, actor: Actor) -> Commit:
        """Makes HEAD current and the tables follow, or changes nothing at all (§4.8).

        Raises the UserError of the constraint that existing rows would break.
        """
        with self._database.write(foreign_keys=False) as connection:
            return commit_head(connection, self._log, actor, self._now)

    def reindex(self, tables: Sequence[str], *, generate_events: bool) -> int:
        """Indexes all objects of top-level tables anew; answers how many events that made (§4.8).

        This server searches its tables as they are: where no events are wanted nothing is left to do.
        """
        job = Reindex(self._database, self._log, self._now)
        return sum(job.run(table) for table in tables) if generate_events else 0

    def names(self, pointer: str) -> dict[str, dict[str, str]]:
        """The localised names of a version (wire §6)."""
        return self._localization.read(pointer)

    def save_names(self, pointer: str, names: Mapping[str, object]) -> dict[str, dict[str, str]]:
        """Replaces the localised names of a version (wire §6)."""
        return self._localization.replace(pointer, names)


_PAGE = 1000


class Reindex:
    """The job; the next commit may rename or drop a table while it runs, which ends its work on that one."""

    def __init__(self, database: Database, log: EventLog, now: Callable[[], int]) -> None:
        self._database = database
        self._log = log
        self._now = now

    def run(self, name: str) -> int:
        """One OBJECT_INDEX event for each object of a top-level table; answers how many there were."""
        count = 0
        last: int | None = None
        while page := self._page(name, last):
            count, last = count + len(page), page[-1][0]
        return count

    def _page(self, name: str, last: int | None) -> list[tuple[int, int]]:
        with self._database.write() as connection:
            page = self._objects(connection, name, last)
            self._log.append(connection, [self._event(name, row) for row in page])
            return page

    def _objects(self, connection: Connection, name: str, last: int | None) -> list[tuple[int, int]]:
        if not _is_current(connection, name):
            return []
        objects = table(physical_table_name(name), column(PRIMARY_KEY), column(VERSION))
        key = objects.c[PRIMARY_KEY]
        page = select(key, objects.c[VERSION]).order_by(key).limit(_PAGE)
        found = connection.execute(page if last is None else page.where(key > last))
        return [(int(row[0]), int(row[1])) for row in found]

    def _event(self, name: str, row: tuple[int, int]) -> EventDraft:
        object_id, version = row
        return EventDraft(
            "OBJECT_INDEX",
            self._now(),
            pollable=True,
            schema="USER",
            objecttype=name,
            object_id=object_id,
            object_version=version,
        )


def _is_current(connection: Connection, name: str) -> bool:
    current = Versions(connection).current()
    return current is not None and any(
        table["name"] == name and table.get("owned_by") is None for table in current["tables"]
    )
