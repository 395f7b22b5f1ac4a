"""Opening databases, transactions, and databases that cannot be opened."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from server_stub.database import Database, DatabaseUnusableError, open_database
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import counter, event
from tests.postgresql import Cluster


def test_a_failed_write_changes_nothing_not_even_tables(database: Database) -> None:
    """A failed transaction is rolled back including its DDL."""
    with pytest.raises(ZeroDivisionError):
        _write_and_fail(database)
    with database.read() as connection:
        assert connection.execute(select(counter.c.value)).scalar() == 0
        assert (
            connection.execute(text("SELECT count(*) FROM sqlite_master WHERE name = 'made'")).scalar() == 0
        )


def test_an_interrupt_within_a_statement_is_raised(database: Database) -> None:
    """An interrupt is raised although SQLAlchemy closes the connection, and the next write works."""
    with pytest.raises(KeyboardInterrupt):
        _write_and_be_interrupted(database)
    with database.write() as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def _write_and_be_interrupted(database: Database) -> None:
    with database.write(foreign_keys=False) as connection:
        connection.invalidate()
        raise KeyboardInterrupt


def test_foreign_keys_are_off_only_on_request(database: Database) -> None:
    """Foreign keys are off within the block that requests it and on for the next writer."""
    with database.write(foreign_keys=False) as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 0
    with database.write() as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def _journal(database: Database) -> tuple[str, int]:
    with database.read() as connection:
        mode = connection.execute(text("PRAGMA journal_mode")).scalar_one()
        return mode, connection.execute(text("PRAGMA synchronous")).scalar_one()


def test_filling_writes_without_a_log_and_leaves_one(database: Database) -> None:
    """Data written by filling remains, also after an error, and the file returns to WAL mode."""
    before = _journal(database)
    with database.filling():
        assert _journal(database) == ("truncate", 0)
        with database.write() as connection:
            connection.execute(update(counter).values(value=7))
            # The mapped part of a file counts as memory of the process.
            assert connection.execute(text("PRAGMA mmap_size")).scalar() == 0
        with database.reader() as reader:
            assert reader.scalar(select(counter.c.value), {}) == 7
    assert _journal(database) == before == ("wal", 1)
    with pytest.raises(ZeroDivisionError), database.filling():
        _write_and_fail(database)
    assert _journal(database) == before
    with database.reader() as reader:
        assert reader.scalar(select(counter.c.value), {}) == 7


def test_filling_a_file_that_another_process_reads(tmp_path: Path) -> None:
    """If another process has the file open, filling works in WAL mode."""
    file = tmp_path / "read.sqlite"
    database = open_database(str(file))
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT value FROM _counter").fetchall() == [(0,)]
    with database.filling(), database.write() as connection:
        connection.execute(update(counter).values(value=7))
    assert _journal(database) == ("wal", 1)
    assert reader.execute("SELECT value FROM _counter").fetchall() == [(0,)]
    reader.execute("COMMIT")
    assert reader.execute("SELECT value FROM _counter").fetchall() == [(7,)]
    reader.close()
    database.close()


def test_what_another_process_does_after_a_filling_loses_nothing(tmp_path: Path) -> None:
    """Another process that closes the file does not remove the write-ahead log."""
    file = tmp_path / "filled.sqlite"
    database = open_database(str(file))
    with database.filling(), database.write() as connection:
        connection.execute(update(counter).values(value=7))
    with database.write() as connection:
        connection.execute(update(counter).values(value=8))
    log = tmp_path / "filled.sqlite-wal"
    before = log.stat().st_ino
    looks = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT 1 FROM _counter')"
    subprocess.run([sys.executable, "-c", looks, str(file)], check=True, timeout=30)
    assert log.stat().st_ino == before
    database.close()


def test_another_programs_database_is_not_changed(tmp_path: Path) -> None:
    """No tables are added to the database of another program."""
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE photo (id)")
    other.close()
    with pytest.raises(DatabaseUnusableError, match="another program"):
        open_database(str(file))
    with sqlite3.connect(file) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("photo",)]
    other.close()


def _write_and_fail(database: Database) -> None:
    with database.write() as connection:
        connection.execute(update(counter).values(value=9))
        connection.execute(text("CREATE TABLE made (x)"))
        _ = 1 / 0


def test_indexes_left_out_are_built(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Opening a database creates indexes that are missing after an interrupted filling, and says so once."""
    file = str(tmp_path / "filled.sqlite")
    opened = open_database(file)
    with opened.write() as connection:
        drop_indexes(connection, event)
        assert {index.name for index in missing_indexes(connection, event)} == _INDEXES
    opened.close()
    assert caplog.messages == []
    opened = open_database(file)
    assert ["indexes are built" in message for message in caplog.messages] == [True]
    with opened.read() as connection:
        assert missing_indexes(connection, event) == []
    opened.close()


_INDEXES = {index.name for index in event.indexes}


def test_reads_of_postgresql_see_one_state(cluster: Cluster) -> None:
    """Statements of one read do not see what was committed after its first one."""
    name = cluster.create_database()
    database = open_database(cluster.url(name))
    value = select(counter.c.value)
    with database.read() as connection:
        assert connection.execute(value).scalar() == 0
        with database.write() as other:
            other.execute(update(counter).values(value=7))
        assert connection.execute(value).scalar() == 0
    with database.read() as connection:
        assert connection.execute(value).scalar() == 7
    with database.write() as connection:
        assert connection.execute(text("SHOW transaction_isolation")).scalar() == "read committed"
    database.close()
    cluster.drop_database(name)


def test_a_file_that_is_replaced_while_it_is_opened_is_opened_again(tmp_path: Path) -> None:
    """As by a snapshot that is restored while a server starts, which waits for the lock of the old file."""
    file, other = tmp_path / "cdb.sqlite", tmp_path / "other.sqlite"
    for number, path in enumerate((file, other)):
        made = open_database(str(path))
        with made.write() as connection:
            connection.execute(update(counter).values(value=number))
        made.close()
    old = sqlite3.connect(file, isolation_level=None)
    old.execute("PRAGMA journal_mode=DELETE")
    old.execute("BEGIN EXCLUSIVE")
    opened: list[Database] = []
    opening = threading.Thread(target=lambda: opened.append(open_database(str(file))))
    opening.start()
    opening.join(0.5)
    assert opening.is_alive()
    other.replace(file)
    old.close()
    opening.join(30)
    with opened[0].read() as connection:
        assert connection.execute(select(counter.c.value)).scalar() == 1
    opened[0].close()
