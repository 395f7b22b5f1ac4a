"""Files of SQLite: a new one is a complete database, and a full disk is noticed."""

import sqlite3
import stat
import sys
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from server_stub.database import Database, DatabaseUnusableError, new_file, open_database
from server_stub.database.sqlite import _SERVER_FULL, DISK_FULL, READ_ONLY, DiskSpace, write_obstacle


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    """The complete file is created with its folder, and temporary files are removed."""
    folder = tmp_path / "deep" / "down"
    folder.mkdir(parents=True)
    for left in ("new.sqlite.filling", "new.sqlite.filling-journal", "new.sqlite.filling-wal"):
        (folder / left).write_bytes(b"half of something" * 100)
    with new_file(f"sqlite:///{folder / 'new.sqlite'}") as file:
        assert file is not None
        database = open_database(file)
        with database.filling(), database.write() as connection:
            connection.exec_driver_sql("CREATE TABLE made (x)")
            assert not (folder / "new.sqlite").exists()
        database.close()
    assert _names(folder) == ["new.sqlite"]
    database = open_database(str(folder / "new.sqlite"))
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM made").scalar_one() == 0
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    database.close()


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    """After an error neither the file nor temporary files exist."""
    with pytest.raises(ZeroDivisionError):
        _fail_half_way(tmp_path / "new.sqlite")
    # Windows keeps the lock.
    assert [name for name in _names(tmp_path) if sys.platform != "win32" or not name.endswith("-lock")] == []


def _fail_half_way(place: Path) -> None:
    with new_file(str(place)) as file:
        assert file is not None
        Path(file).write_bytes(b"half")
        _ = 1 / 0


def test_existing_files_are_not_changed(tmp_path: Path) -> None:
    """Existing files and databases that are not files are not changed."""
    place = tmp_path / "there.sqlite"
    place.write_bytes(b"")
    for url in (
        str(place),
        f"sqlite:///{place}",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://here/x",
        "://",
    ):
        with new_file(url) as file:
            assert file is None
    assert _names(tmp_path) == ["there.sqlite"]


def test_a_file_that_is_open_elsewhere_is_not_published(tmp_path: Path) -> None:
    """A file that is still open elsewhere is not published, since data in its log would be lost."""
    place = tmp_path / "new.sqlite"
    with ExitStack() as until_then:
        with pytest.raises(DatabaseUnusableError, match="open"), new_file(str(place)) as file:
            _write_while_read(str(file), until_then)
        assert not place.exists()


def _write_while_read(file: str, until_then: ExitStack) -> None:
    database = open_database(file)
    reader = until_then.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
    reader.execute("BEGIN")
    reader.execute("SELECT value FROM _counter").fetchall()
    with database.filling(), database.write() as connection:
        connection.exec_driver_sql("UPDATE _counter SET value = 7")
    database.close()


def test_two_processes_create_the_same_file(tmp_path: Path) -> None:
    """A second process waits for the first and finds the file."""
    place, results = tmp_path / "new.sqlite", []

    def second() -> None:
        with new_file(str(place)) as file:
            results.append((file, place.exists()))

    other = threading.Thread(target=second)
    with new_file(str(place)) as file:
        assert file is not None
        other.start()
        other.join(0.3)
        assert (other.is_alive(), results) == (True, [])
        with sqlite3.connect(file) as made:
            made.execute("CREATE TABLE made (x)")
        made.close()
    other.join(30)
    assert results == [(None, True)]
    assert _names(tmp_path) == ["new.sqlite"]


def test_a_folder_that_takes_no_file(tmp_path: Path) -> None:
    """A folder without write permission is reported in a sentence, here or when the database is opened."""
    (tmp_path / "new.sqlite.filling-lock").mkdir()
    with (
        pytest.raises(DatabaseUnusableError, match="No file can be made"),
        new_file(str(tmp_path / "new.sqlite")),
    ):
        pass
    with new_file("/dev/null/x.sqlite") as file:
        assert file is None


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
