"""Removes old events while servers run, after they were written to an archive.

Events are removed in small batches, between which others have their turn. In PostgreSQL a partition with none
but old events is detached and dropped, which waits for nobody's lock and makes nobody wait.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, func, literal_column, select
from sqlalchemy.exc import DatabaseError

from server_stub.backup.contents import Progress, Row
from server_stub.backup.event_archive import ArchivedFile, EventArchive
from server_stub.database import Database, DatabaseUnusableError
from server_stub.database.postgresql import Partition
from server_stub.database.tables import event
from server_stub.events import EventDraft, EventLog
from server_stub.foundation.times import to_wire, wall_clock

_BATCH = 1000
_FILE_EVENTS = 250_000


class OldEvents(msgspec.Struct, frozen=True):
    """The events before a time in epoch seconds, and the partitions that have no others."""

    before: int
    count: int
    first_id: int
    last_id: int
    partitions: tuple[Partition, ...]


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        reason = str(error.orig).strip()
        raise DatabaseUnusableError(f"{reason}. Run the same command again: it continues.") from error


def old_events(database: Database, before: int) -> OldEvents:
    """Finds the events before a time. Raises DatabaseUnusableError."""
    found = select(func.count(), func.min(event.c.id), func.max(event.c.id)).where(event.c.timestamp < before)
    newer = select(event.c.id).where(event.c.timestamp >= before).limit(1)
    with _reported(), database.read() as connection:
        count, first, last = connection.execute(found).one()
        partitions = tuple(
            each
            for each in database.used_partitions(connection)
            if connection.execute(newer.where(each.holds(event.c.id))).first() is None
        )
    return OldEvents(before, count, first or 0, last or 0, partitions)


class Retention:
    """One run that removes old events; `by` is who runs it, as the log says."""

    def __init__(
        self, log: EventLog, database: Database, old: OldEvents, by: str, progress: Progress
    ) -> None:
        self._log = log
        self._database = database
        self._old = old
        self._partitions = {partition.name: partition for partition in old.partitions}
        self._by = by
        self._progress = progress
        self._removed = 0
        self._is_announced = False

    def run(self, folder: Path | None) -> int:
        """Removes the events, which are in the archive in a folder before; returns how many were removed.

        What an interrupted run has left is removed first. Raises BackupError, DatabaseUnusableError.
        """
        archive = nullcontext() if folder is None else EventArchive.opened(folder, self._log.instance)
        with _reported(), archive as opened:
            try:
                self._run(opened, folder)
            except BaseException as error:
                if self._is_announced:
                    reason = str(error) or type(error).__name__
                    with suppress(DatabaseError):
                        self._append("JANITOR_ERROR", {"error": reason, "count": self._removed})
                raise
        return self._removed

    def _run(self, archive: EventArchive | None, folder: Path | None) -> None:
        self._database.drop_detached_partitions()
        about = {"archive": str(folder.absolute())} if folder else {}
        if archive is None:
            for partition in self._old.partitions:
                self._announce(about)
                self._drop(partition.name, self._count(partition))
            for page in self._pages(event.c.id):
                self._announce(about)
                self._delete([row[0] for row in page])
            return
        for file in archive.unremoved:
            self._announce(about)
            self._remove(archive, file)
        for partition in list(self._partitions.values()):
            rows = self._pages(*event.columns, within=partition)
            if (whole := archive.write(rows, partition.name)) is None:
                self._drop(partition.name, 0)
            else:
                self._announce(about)
                self._remove(archive, whole)
        while part := archive.write(self._pages(*event.columns, most=_FILE_EVENTS)):
            self._announce(about)
            self._remove(archive, part)

    def _remove(self, archive: EventArchive, file: ArchivedFile) -> None:
        """Removes what is in a file."""
        if file.partition and file.partition in self._partitions:
            self._drop(file.partition, file.rows)
        else:
            first = self._first_left(file)
            for ids in archive.ids(file):
                if left := [each for each in ids if each >= first]:
                    self._delete(left)
        archive.set_removed(file)

    def _drop(self, partition: str, rows: int) -> None:
        self._database.drop_partition(partition)
        del self._partitions[partition]
        self._removed += rows
        self._progress(event.name, self._removed, self._old.count)

    def _delete(self, ids: list[int]) -> None:
        began = time.monotonic()
        self._removed += self._log.delete_ids(ids)
        self._progress(event.name, self._removed, self._old.count)
        # SQLite gives its lock to whoever asks first, and others ask again after a while.
        time.sleep(time.monotonic() - began)

    def _count(self, partition: Partition) -> int:
        counted = select(func.count()).select_from(event).where(partition.holds(event.c.id))
        with self._database.read() as connection:
            return int(connection.execute(counted).scalar_one())

    def _first_left(self, file: ArchivedFile) -> int:
        """Before which id an interrupted run has removed all that is in a file."""
        first = func.coalesce(func.min(event.c.id), file.last_id + 1)
        with self._database.read() as connection:
            return int(connection.execute(select(first).where(event.c.id >= file.first_id)).scalar_one())

    def _pages(
        self, *columns: ColumnElement[Any], within: Partition | None = None, most: int | None = None
    ) -> Iterator[list[Row]]:
        """The old events by id, each page in a transaction of its own."""
        # By the index of ids: what is computed is found in no other.
        rows = select(event.c.id, *columns).where(
            event.c.timestamp + literal_column("0") < self._old.before, event.c.id <= self._old.last_id
        )
        rows = rows.order_by(event.c.id).limit(_BATCH)
        if within is not None:
            rows = rows.where(within.holds(event.c.id))
        after, left = self._old.first_id - 1, most
        while left is None or left > 0:
            with self._database.read() as connection:
                page = connection.execute(rows.where(event.c.id > after)).all()
            if not page:
                return
            yield [row[1:] for row in page]
            after = page[-1][0]
            left = None if left is None else left - len(page)

    def _announce(self, about: dict[str, str]) -> None:
        """Logs what is going to be removed: before it is, so that no removal is without its event."""
        if self._is_announced:
            return
        self._is_announced = True
        old = self._old
        ids = {"first_id": old.first_id, "last_id": old.last_id}
        info = {"type": "retention", "count": old.count, "before": to_wire(old.before), **ids, "by": self._by}
        self._append("JANITOR", info | about)

    def _append(self, event_type: str, info: dict[str, object]) -> None:
        with self._database.write() as connection:
            text = msgspec.json.encode(info).decode()
            self._log.append(connection, [EventDraft(event_type, wall_clock(), info=text)])
