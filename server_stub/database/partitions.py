"""Partitions of the event table in PostgreSQL: ranges of ids, created ahead of the ids that are given.

A partition keeps its indexes small enough for memory, can be moved to another disk or detached with all of
its events at once, and is the unit that Citus distributes.
"""

from __future__ import annotations

import logging
import threading

from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from server_stub.database.bulk import drop_indexes
from server_stub.database.postgresql import lock_transaction
from server_stub.database.tables import event

log = logging.getLogger(__name__)

# How many ids a new partition takes: some 9 GB with its indexes. Every query plans and locks all partitions,
# so there should be no more than about a hundred.
PARTITION_EVENTS = 10_000_000

# Where the last partition ends; null without any.
_END = text(r"""
    SELECT max(substring(pg_get_expr(part.relpartbound, part.oid) FROM 'TO \(''?(\d+)')::bigint)
    FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid WHERE inhparent = '_event'::regclass
""")
_UNPARTITIONED = text("SELECT 1 FROM pg_class WHERE oid = to_regclass('_event') AND relkind = 'r'")
_FIRST = "_event_0"


class EventPartitions:
    """Keeps at least one empty partition ahead of the last event id, in all processes together.

    ``lock`` is the number of the advisory lock of those that create partitions, ``size`` how many ids each
    takes. Databases may have partitions of different sizes.
    """

    def __init__(self, engine: Engine, lock: int, size: int) -> None:
        self._engine = engine
        self._lock = lock
        self._size = size
        self._end = 0  # As last read; other processes may have created more.
        self._creating = threading.Lock()
        self._thread: threading.Thread | None = None

    def set_up(self, connection: Connection, last_id: int) -> None:
        """Creates the first partitions; `_event` exists and may be empty."""
        lock_transaction(connection, self._lock)
        self._end = self._extended(connection, last_id)

    def reach(self, last_id: int) -> None:
        """Ensures that events up to an id can be stored.

        The next partition is created in the background when half of the last one is used, so that no writer
        waits. A writer creates it only if that has failed for so long that its id has no partition. This
        takes another transaction, so that it does not depend on the success of the writer's.
        """
        if last_id + self._size // 2 < self._end:
            return
        if last_id >= self._end:
            with self._creating:
                self._extend(last_id)
        elif self._creating.acquire(blocking=False):
            self._thread = threading.Thread(target=self._extend_later, args=(last_id,), daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Waits until no partition is being created."""
        if self._thread is not None:
            self._thread.join()

    def _extend_later(self, last_id: int) -> None:
        try:
            self._extend(last_id)
        except SQLAlchemyError:
            log.exception("The next partition of the event table could not be created")
        finally:
            self._creating.release()

    def _extend(self, last_id: int) -> None:
        with self._engine.begin() as connection:
            lock_transaction(connection, self._lock)
            end = self._extended(connection, last_id)
        self._end = end

    def _extended(self, connection: Connection, last_id: int) -> int:
        """Creates what is missing; returns where the last partition ends."""
        end = connection.execute(_END).scalar()
        while end is None or end - self._size <= last_id:
            end = self._create(connection, end)
        return int(end)

    def _create(self, connection: Connection, first: int | None) -> int:
        end = self._size + (first or 0)
        name = _FIRST if first is None else f"_event_{first}"
        # CREATE TABLE … PARTITION OF would wait for all readers and make the next ones wait; attaching does
        # not. A DEFAULT partition would have to be locked for it, and there is none for that reason.
        connection.exec_driver_sql(f"CREATE TABLE {name} (LIKE _event)")
        _attach(connection, name, first, end)
        return end


def convert(connection: Connection) -> None:
    """Makes an unpartitioned event table, as older versions created it, the first partition of a new one."""
    if connection.execute(_UNPARTITIONED).first() is None:
        return
    log.warning("The event table becomes partitioned; its indexes are built anew")
    last = connection.execute(select(func.coalesce(func.max(event.c.id), 0))).scalar_one()
    drop_indexes(connection, event)
    connection.exec_driver_sql(f"ALTER TABLE _event RENAME TO {_FIRST}")
    connection.exec_driver_sql(f"ALTER INDEX _event_pkey RENAME TO {_FIRST}_pkey")
    event.create(connection)
    _attach(connection, _FIRST, None, last + 1)


def _attach(connection: Connection, name: str, first: int | None, end: int) -> None:
    start = "MINVALUE" if first is None else first
    connection.exec_driver_sql(
        f"ALTER TABLE _event ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end})"
    )
