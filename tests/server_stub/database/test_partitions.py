"""The event table in PostgreSQL: partitions ahead of the ids, several writers, tables without partitions."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text

from server_stub.database import Database, open_database
from server_stub.database.bulk import create_index, drop_indexes, missing_indexes
from server_stub.database.tables import event
from server_stub.events import EventDraft, EventLog
from tests.postgresql import Cluster

_PARTITIONS = text("""
    SELECT part.relname, pg_get_expr(part.relpartbound, part.oid), part.relkind
    FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
    WHERE inhparent = '_event'::regclass ORDER BY part.oid
""")
_SIZE = 10


@pytest.fixture
def name(cluster: Cluster) -> Iterator[str]:
    """The name of an empty database."""
    made = cluster.create_database()
    yield made
    cluster.drop_database(made)


@pytest.fixture
def url(cluster: Cluster, name: str) -> str:
    """The address of the database."""
    return cluster.url(name)


@pytest.fixture
def small(url: str) -> Iterator[Database]:
    """The database opened with partitions of ten events."""
    opened = open_database(url, partition_events=_SIZE)
    yield opened
    opened.close()


def _ranges(database: Database) -> list[str]:
    with database.read() as connection:
        return [bounds.removeprefix("FOR VALUES ") for _, bounds, _ in connection.execute(_PARTITIONS)]


def _append(database: Database, count: int = 1) -> list[int]:
    log = EventLog(database, "instance")
    with database.write() as connection:
        return list(log.append(connection, [EventDraft("SEARCH", 1)] * count))


def _append_and_fail(database: Database, count: int) -> None:
    log = EventLog(database, "instance")
    with database.write() as connection:
        log.append(connection, [EventDraft("SEARCH", 1)] * count)
        _ = 1 / 0


def _count(database: Database) -> int:
    with database.read() as connection:
        return connection.execute(select(func.count()).select_from(event)).scalar_one()


def test_one_partition_is_ahead(small: Database) -> None:
    """A new database has two partitions; the next one is created when half of the last one is used."""
    first = ["FROM (MINVALUE) TO ('10')", "FROM ('10') TO ('20')"]
    assert _ranges(small) == first
    assert _append(small, 14)[-1] == 14
    assert _ranges(small) == first
    _append(small)
    small.close()  # Waits for the creation.
    assert _ranges(small) == [*first, "FROM ('20') TO ('30')"]


def test_a_start_creates_what_is_missing(url: str, small: Database) -> None:
    """Opening a database creates partitions ahead of its counter; sizes may differ from start to start."""
    _append(small, 14)
    small.close()
    opened = open_database(url, partition_events=100)
    assert _ranges(opened)[2:] == ["FROM ('20') TO ('120')"]
    opened.close()


def test_many_events_at_once(small: Database) -> None:
    """A transaction may take more ids than there are partitions for."""
    assert _append(small, 95)[-1] == 95
    assert _count(small) == 95
    assert _ranges(small)[-1] == "FROM ('100') TO ('110')"


def test_a_writer_that_fails_leaves_partitions(small: Database) -> None:
    """Partitions do not depend on the success of the writer that needed them."""
    with pytest.raises(ZeroDivisionError):
        _append_and_fail(small, 95)
    assert _append(small, 95)[-1] == 95


def test_writers_of_several_processes(url: str, small: Database) -> None:
    """Writers with their own view of the partitions store all events, and the partitions have no gaps."""
    others = [open_database(url, partition_events=_SIZE) for _ in range(3)]
    with ThreadPoolExecutor(4) as threads:
        ids = threads.map(lambda database: [_append(database)[0] for _ in range(50)], [small, *others])
        assert sorted(id_ for each in ids for id_ in each) == list(range(1, 201))
    for other in others:
        other.close()
    small.close()
    bounds = [each.split("'")[1::2] for each in _ranges(small)]
    assert [end for *_, end in bounds[:-1]] == [start for start, _ in bounds[1:]]
    assert _count(small) == 200


def test_creation_does_not_wait_for_readers(small: Database) -> None:
    """A partition is created while a transaction reads the table, and the next reader does not wait."""
    with small.read() as reading:
        reading.execute(select(event.c.id)).all()
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(_append, small, 95).result(10)[-1] == 95
        assert _count(small) == 95


def test_writers_do_not_wait_for_the_creation(small: Database, cluster: Cluster, name: str) -> None:
    """While something keeps the next partition from being created, events go to those that exist."""
    with cluster.connect(name) as busy, busy.transaction():
        busy.execute("LOCK TABLE _event IN SHARE UPDATE EXCLUSIVE MODE")  # As VACUUM does.
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(_append, small, 15).result(10)[-1] == 15
            assert thread.submit(_append, small, 4).result(10)[-1] == 19
            needed = thread.submit(_append, small, 1)
            assert not needed.done()
            busy.execute("ROLLBACK")
            assert needed.result(10) == [20]


def test_indexes_are_those_of_all_partitions(small: Database) -> None:
    """Indexes are dropped and created in all partitions, also in those that were created meanwhile."""
    with small.write() as connection:
        drop_indexes(connection, event)
    _append(small, 45)
    with small.write() as connection:
        missing = missing_indexes(connection, event)
        assert set(missing) == event.indexes
        for index in missing:
            create_index(connection, index)
        assert missing_indexes(connection, event) == []
        of_parts = text("SELECT tablename, count(*) FROM pg_indexes WHERE tablename ~ '^_event_' GROUP BY 1")
        counts = {count for _, count in connection.execute(of_parts)}
    assert counts == {len(event.indexes) + 1}  # And the primary key.


def test_an_older_database_is_converted(url: str, small: Database, cluster: Cluster, name: str) -> None:
    """The table of an older version becomes the first partition, with all of its events."""
    _append(small, 7)
    small.close()
    for statement in (
        "CREATE TABLE old (LIKE _event)",
        "INSERT INTO old SELECT * FROM _event",
        "DROP TABLE _event",
        "ALTER TABLE old RENAME TO _event",
        "ALTER TABLE _event ADD PRIMARY KEY (id)",
        "CREATE INDEX _event_object ON _event (object_id, id)",
    ):
        cluster.execute(statement, name)
    converted = open_database(url, partition_events=_SIZE)
    assert _ranges(converted)[:2] == ["FROM (MINVALUE) TO ('8')", "FROM ('8') TO ('18')"]
    assert _count(converted) == 7
    assert _append(converted, 30)[-1] == 37
    with converted.read() as connection:
        assert missing_indexes(connection, event) == []
    converted.close()
