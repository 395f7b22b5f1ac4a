"""The reserve beside an SQLite file, and the words for what cannot be written."""

import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from server_stub.database import Database
from server_stub.database.sqlite import _SERVER_FULL, DISK_FULL, READ_ONLY, DiskSpace, write_obstacle


class PostgresError(Exception):
    """What the driver of PostgreSQL raises."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__("an error")
        self.sqlstate = sqlstate


def sqlite_error(code: int) -> sqlite3.OperationalError:
    """What the driver of SQLite raises."""
    error = sqlite3.OperationalError("an error")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), DISK_FULL),
        (sqlite_error(sqlite3.SQLITE_READONLY), READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_READONLY_DBMOVED), READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_BUSY), None),
        (sqlite_error(sqlite3.SQLITE_IOERR_READ), None),
        (PostgresError("53100"), _SERVER_FULL),
        (PostgresError("25006"), READ_ONLY),
        (PostgresError("23505"), None),
        (PostgresError(None), None),
        (ValueError("an error"), None),
    ],
)
def test_obstacles(cause: Exception, words: str | None) -> None:
    """Only errors of a full or read-only disk have words of their own."""
    assert write_obstacle(cause) == words
    assert write_obstacle(OperationalError(None, None, cause)) == words


def test_the_reserve_is_used_once(database: Database, tmp_path: Path) -> None:
    """It takes space that only its owner may read, is made once, and can be used once."""
    space, file = DiskSpace(database.engine), tmp_path / "server.sqlite-reserve"
    space.reserve()
    described = file.stat()
    assert described.st_size == described.st_blocks * 512 == 4 << 20
    assert stat.S_IMODE(described.st_mode) == 0o600
    space.reserve()
    assert file.stat().st_ino == described.st_ino
    full = OperationalError(None, None, sqlite_error(sqlite3.SQLITE_FULL))
    assert space.make_room(full, use_reserve=False)
    assert file.stat().st_size == 4 << 20
    assert space.make_room(full, use_reserve=True)
    assert not file.exists()
    assert space.restore()
    assert file.stat().st_size == 4 << 20
    busy = OperationalError(None, None, sqlite_error(sqlite3.SQLITE_BUSY))
    assert not space.make_room(busy, use_reserve=True)
    assert space.release()
    assert not space.release()


def test_the_log_is_emptied(database: Database, tmp_path: Path) -> None:
    """What only the write-ahead log held is in the file afterwards."""
    log = tmp_path / "server.sqlite-wal"
    with database.write() as connection:
        connection.exec_driver_sql("INSERT INTO _configuration VALUES ('x', '1')")
    assert log.stat().st_size
    full = OperationalError(None, None, sqlite_error(sqlite3.SQLITE_FULL))
    assert DiskSpace(database.engine).make_room(full, use_reserve=False)
    assert not log.stat().st_size
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT value FROM _configuration WHERE name = 'x'").scalar() == "1"
