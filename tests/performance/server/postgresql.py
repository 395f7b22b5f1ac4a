"""Lists on PostgreSQL with a partitioned event table, and with a hot standby."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import psycopg

from server_stub.database import open_database
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import event, metadata, session
from tests.performance.processes import Wire, announced, medians, server_process
from tests.performance.rows import AbsentError, Context, Measured, Row, over_row
from tests.performance.server.lists import longest_sort
from tests.performance.server.stage import stage
from tests.performance.server.thin_wire import ThinWire
from tests.postgresql import Cluster, is_installed

# Several partitions, as in a log that is twenty times as long as this one.
_PARTITIONS = 4


@dataclass(frozen=True)
class _Servers:
    """Two servers on one database: on the primary only, and with a standby."""

    cluster: Cluster
    database: str
    wire: ThinWire
    replicated: ThinWire


@lru_cache(maxsize=1)
def _servers(context: Context) -> _Servers:
    if not is_installed():
        raise AbsentError("PostgreSQL is not installed (Debian: postgresql)")
    stage(context)  # Creates the file.
    cluster = context.running.enter_context(Cluster.running(shared_buffers="256MB", max_wal_size="4GB"))
    name = cluster.create_database()
    _copy(context.folder / f"events-{context.events}.sqlite", cluster, name, context.events // _PARTITIONS)
    standby = context.running.enter_context(cluster.standby(shared_buffers="256MB"))
    arguments = ("--database", cluster.url(name))
    with_replica = (*arguments, "--replica", standby.url(name))
    return _Servers(cluster, name, *(_wire(context, given) for given in (arguments, with_replica)))


def _copy(file: Path, cluster: Cluster, name: str, partition_events: int) -> None:
    """Copies all of the server's own tables."""
    database = open_database(cluster.url(name), partition_events=partition_events)
    with closing(sqlite3.connect(file)) as source, cluster.connect(name) as target:
        (last,) = source.execute("SELECT value FROM _counter").fetchone()
        database.reach_event(last)
        with database.write() as connection:
            for table in (event, session):
                drop_indexes(connection, table)
        target.execute("TRUNCATE _counter")
        for table in metadata.sorted_tables:
            names = ", ".join(f'"{column.name}"' for column in table.columns)
            with target.cursor().copy(f"COPY {table.name} ({names}) FROM STDIN".encode()) as copy:
                for row in source.execute(f"SELECT {names} FROM {table.name}"):  # noqa: S608
                    copy.write_row(row)
        with database.write() as connection:
            for table in (event, session):
                for index in missing_indexes(connection, table):
                    index.create(connection)
        target.execute("VACUUM ANALYZE")
    database.close()


def _wire(context: Context, arguments: tuple[str, ...]) -> ThinWire:
    child = context.running.enter_context(server_process(context.folder, *arguments))
    base = announced(child)
    wire = ThinWire(base, Wire(base, "root", "admin").token)
    context.running.callback(wire.close)
    return wire


def sort_pairs(context: Context) -> Row:
    """The longest list sorted by two fields, at any offset; the goal is for three million events."""
    seconds = longest_sort(_servers(context).wire, context.events)
    return Row("server.postgresql_sort_s", round(seconds, 2), "s", goal=2)


def deep_offset(context: Context) -> Row:
    """1000 short records after an offset of nine tenths of the log, compared with their query."""
    on, offset = _servers(context), context.events * 9 // 10
    request = on.wire.request("event/list", limit=1000, skip_count="true", offset=offset)
    ids = f"SELECT id FROM _event ORDER BY id DESC LIMIT 1000 OFFSET {offset}"  # noqa: S608
    bare = f"SELECT id, head, tail FROM _event WHERE id IN ({ids}) ORDER BY id DESC".encode()  # noqa: S608
    with closing(psycopg.connect(on.cluster.url(on.database))) as driver:
        served, floor = medians(
            context.repeats, lambda: on.wire.answer(request), lambda: driver.execute(bare).fetchall()
        )
    return over_row("server.postgresql_deep_offset_over_ms", served, floor, goal=20)


def replica(context: Context) -> Row:
    """The newest events from a standby that is up to date, compared with the primary."""
    on = _servers(context)
    served, floor = medians(
        context.repeats * 20,
        lambda: on.replicated.answer(on.replicated.request("event/list", limit=100, skip_count="true")),
        lambda: on.wire.answer(on.wire.request("event/list", limit=100, skip_count="true")),
    )
    return over_row("server.replica_over_ms", served, floor, goal=3)


MEASUREMENTS = (
    Measured("server.postgresql_sort_s", sort_pairs, is_quick=False),
    Measured("server.postgresql_deep_offset_over_ms", deep_offset, is_quick=False),
    Measured("server.replica_over_ms", replica, is_quick=False),
)
