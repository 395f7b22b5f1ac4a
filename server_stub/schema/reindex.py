"""Indexes the objects of tables anew after a commit (§4.8), page by page; its events are its only trace."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, column, select, table

from server_stub.database import Database
from server_stub.events import EventDraft, EventLog
from server_stub.schema.physical import PRIMARY_KEY, VERSION, physical_table_name
from server_stub.schema.versions import Versions

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
