"""What happens when a database cannot be written, because its disk is full or because it is read-only.

SQLite needs space to delete: changed pages first go to the write-ahead log, and emptying the log may extend
the database file. While the server runs, a file beside the database therefore reserves some. When a write
fails for want of space, the reserve is removed, the log is emptied, and the write is repeated once. Before
it is repeated the reserve is made again; only deletions and log-ins may use it, and have it made afterwards.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from server_stub.database.sqlite import private_file

log = logging.getLogger(__name__)

DISK_FULL = (
    "The disk of the database is full: reading and deleting continue, but nothing else can be stored until "
    "events have been deleted or the disk has space again."
)
_DISK_FAILS = "The database cannot be written: its disk or quota is full, or the disk fails."
READ_ONLY = "The database is read-only: nothing can be stored."

_RESERVED_BYTES = 4 << 20
# With less than this besides the reserve the administrator is warned.
_FEW_BYTES = 16 << 20
# How long emptying the log waits for readers of old pages, in milliseconds.
_WAIT = 1000

_FAILED_WRITES = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMMAP,
}
_POSTGRESQL_STATES = {"53100": DISK_FULL, "25006": READ_ONLY}


def write_obstacle(error: BaseException) -> str | None:
    """Why the database could not be written, in words; None if the error has another cause."""
    cause = getattr(error, "orig", error)
    if isinstance(cause, sqlite3.Error):
        code: int = getattr(cause, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_FULL:
            return DISK_FULL
        if code in _FAILED_WRITES:
            return _DISK_FAILS
        return READ_ONLY if code & 0xFF == sqlite3.SQLITE_READONLY else None
    return _POSTGRESQL_STATES.get(getattr(cause, "sqlstate", None) or "")


def release_reserve(file: Path) -> bool:
    """Removes the reserve beside a database file; returns whether there was one."""
    try:
        _reserve(file).unlink()
    except OSError:
        return False
    return True


def _reserve(file: Path) -> Path:
    return file.with_name(f"{file.name}-reserve")


class DiskSpace:
    """The space on the disk of one SQLite file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._file = Path(engine.url.database or "")
        self._reserve = _reserve(self._file)
        self._size = _RESERVED_BYTES

    def reserve(self) -> str | None:
        """Makes the reserve if it is missing; returns a warning if little space is left besides it."""
        try:
            if not self._reserve.exists():
                self._make_reserve(self._affordable_size())
            left = shutil.disk_usage(self._file.parent).free
        except OSError as error:
            return f"No space can be reserved beside the database: {error}."
        if left >= _FEW_BYTES:
            return None
        return f"The disk of the database is nearly full: {left // 1024} KB are left."

    def _make_reserve(self, size: int) -> None:
        private_file(self._reserve)
        try:
            with self._reserve.open("r+b", buffering=0) as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, max(size, 1))
                else:
                    file.write(bytes(size))
        except OSError:
            self.release()
            raise

    def _affordable_size(self) -> int:
        return min(_RESERVED_BYTES, shutil.disk_usage(self._file.parent).free // 2)

    def release(self) -> bool:
        """Removes the reserve; returns whether there was one."""
        return release_reserve(self._file)

    def make_room(self, error: DBAPIError, *, use_reserve: bool) -> bool:
        """Whether a write that failed for want of space may succeed if it is repeated."""
        if write_obstacle(error) not in (DISK_FULL, _DISK_FAILS):
            return False
        with suppress(OSError):
            self._size = self._reserve.stat().st_size
        is_released, is_empty = self.release(), self._empty_log()
        if use_reserve or not is_released:
            return is_empty or is_released
        return self.restore() and is_empty

    def _empty_log(self) -> bool:
        """Writes the write-ahead log to the file and empties it; returns whether that succeeded."""
        try:
            with self._engine.connect() as connection:
                driver: Any = connection.connection.dbapi_connection
                before = driver.execute("PRAGMA busy_timeout").fetchone()[0]
                driver.execute(f"PRAGMA busy_timeout={_WAIT}")
                try:
                    # Outside of a transaction: SQLAlchemy begins one with its first statement.
                    return not driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                finally:
                    driver.execute(f"PRAGMA busy_timeout={before}")
        except (sqlite3.Error, OperationalError) as error:
            log.warning("The write-ahead log could not be emptied: %s", error)
            return False

    def restore(self) -> bool:
        """Makes the reserve again if it is missing; returns whether there was space for all of it."""
        if self._reserve.exists():
            return True
        try:
            self._make_reserve(self._size)
        except OSError:
            with suppress(OSError):
                self._make_reserve(self._affordable_size())
            return False
        return True
