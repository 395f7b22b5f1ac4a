"""Statements run by the driver return the same results and errors as those run by SQLAlchemy."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import Integer, bindparam, func, insert, literal, select
from sqlalchemy.exc import OperationalError

from server_stub.database import Database, Reader, open_database
from server_stub.database.tables import group
from tests.postgresql import Cluster

_NAMED = select(group.c.id, group.c.name).where(group.c.id == bindparam("wanted", type_=Integer))
_SOME = select(func.count()).where(group.c.name.in_(["editors", "guests"]))


@pytest.fixture
def groups(database: Database) -> Database:
    """A database with three groups."""
    with database.write() as connection:
        rows = [{"name": name, "displayname": name} for name in ("editors", "guests", "others")]
        connection.execute(insert(group), rows)
    return database


def test_answers(groups: Database) -> None:
    """Rows have names, and constants, lists and parameters are passed to the statement."""
    with groups.reader() as reader:
        found = reader.first(_NAMED, {"wanted": 2})
        assert (found.id, found.name) == (2, "guests")
        assert reader.first(_NAMED, {"wanted": 9}) is None
        assert reader.scalar(_SOME, {}) == 2
        assert reader.all(select(group.c.name).order_by(group.c.id), {}) == [
            ("editors",),
            ("guests",),
            ("others",),
        ]


def test_a_missing_parameter_raises(groups: Database) -> None:
    """A missing parameter raises KeyError instead of becoming NULL."""
    with groups.reader() as reader, pytest.raises(KeyError):
        reader.first(_NAMED, {})


def test_commits_are_visible_to_the_next_reader(groups: Database) -> None:
    """Later commits are visible to the next reader; a reader inside a transaction sees its changes."""
    count = select(func.count()).select_from(group)
    with groups.reader() as reader:
        assert reader.scalar(count, {}) == 3
        with groups.write() as connection:
            connection.execute(insert(group).values(name="new", displayname="new"))
            assert Reader.inside(connection).scalar(count, {}) == 4
        assert reader.scalar(count, {}) == 3
    with groups.reader() as reader:
        assert reader.scalar(count, {}) == 4


def test_readers_share_a_snapshot(groups: Database) -> None:
    """Commits between two readers are only visible after the shared snapshot."""
    count = select(func.count()).select_from(group)
    with groups.shared_snapshot():
        with groups.reader() as reader:
            assert reader.scalar(count, {}) == 3
        with groups.write() as connection:
            connection.execute(insert(group).values(name="new", displayname="new"))
        with groups.reader() as reader:
            assert reader.scalar(count, {}) == 3
    with groups.reader() as reader:
        assert reader.scalar(count, {}) == 4


def test_a_snapshot_without_reads(groups: Database) -> None:
    """A snapshot without reads opens no transaction; the next reader sees the changes."""
    with groups.shared_snapshot(), groups.write() as connection:
        connection.execute(insert(group).values(name="new", displayname="new"))
    with groups.reader() as reader:
        assert reader.scalar(select(func.count()).select_from(group), {}) == 4


def test_cache(groups: Database) -> None:
    """The cache remains for the next reader and is emptied by any change."""
    with groups.reader() as reader:
        reader.cache["groups"] = 3
    with groups.shared_snapshot(), groups.reader() as reader:
        assert reader.cache == ({"groups": 3} if groups.engine.dialect.name == "sqlite" else {})
        with groups.write() as connection:
            connection.execute(insert(group).values(name="new", displayname="new"))
            assert Reader.inside(connection).cache == {}
    with groups.reader() as reader:
        assert reader.cache == {}


def test_cache_is_emptied_by_another_process(groups: Database) -> None:
    """A change by another process empties the cache."""
    with groups.reader() as reader:
        reader.cache["groups"] = 3
    another = open_database(groups.engine.url.render_as_string(hide_password=False))
    with another.write() as connection:
        connection.execute(insert(group).values(name="new", displayname="new"))
    another.close()
    with groups.reader() as reader:
        assert reader.cache == {}


def test_faults(groups: Database) -> None:
    """A missing table raises SQLAlchemy's error, and the next statement works."""
    with groups.write() as connection:
        connection.exec_driver_sql("DROP TABLE _group")
    with groups.reader() as reader, pytest.raises(OperationalError):
        reader.scalar(_SOME, {})
    with groups.reader() as reader:
        assert reader.scalar(select(literal(1)), {}) == 1


def test_postgresql_sends_rows_while_they_are_read(cluster: Cluster) -> None:
    """Batches before a row that fails are returned: no more than one is in memory."""
    name = cluster.create_database()
    database = open_database(cluster.url(name))
    number = func.generate_series(1, 100).column_valued("number")
    with database.reader() as reader:
        batches = reader.batches(select(literal(50) // (50 - number)), {}, 20)
        assert [len(next(batches)), len(next(batches))] == [20, 20]
        with pytest.raises(OperationalError, match="division by zero"):
            next(batches)
    with database.reader() as reader:
        assert [len(batch) for batch in reader.batches(select(number), {}, 60)] == [60, 40]
    database.close()
    cluster.drop_database(name)


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    """The reader raises the error, not the snapshot around it."""
    folder = tmp_path / "in"
    folder.mkdir()
    lost = open_database(str(folder / "a.sqlite"))
    lost.engine.dispose()
    shutil.rmtree(folder)
    with lost.shared_snapshot(), pytest.raises(OperationalError, match="unable to open"):
        lost.reader()
