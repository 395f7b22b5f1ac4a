"""Specific to SQLite: settings, transactions around DDL, deferred foreign keys."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

# How long a writer waits for those of other processes, in milliseconds: longer than the largest commit.
_BUSY_TIMEOUT = "PRAGMA busy_timeout=60000"
_SETTINGS = (_BUSY_TIMEOUT, "PRAGMA foreign_keys=ON", f"PRAGMA mmap_size={1 << 30}")
_SERVING = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")
# Pages are written once instead of twice, without waiting for the disk; a second thread sorts indexes. The
# file, which is only written, is not mapped: the system would count it as memory of the process.
_FILLING = (
    "PRAGMA synchronous=OFF",
    "PRAGMA threads=2",
    "PRAGMA mmap_size=0",
    "PRAGMA journal_mode=TRUNCATE",
)
# The driver looks for an adapter for every None, which takes as long as storing the rest of a row. A
# registered adapter that is implemented in C and returns None avoids this.
_NONE_ADAPTER: dict[None, None] = {}
sqlite3.register_adapter(type(None), _NONE_ADAPTER.get)


def private_folder(folder: Path) -> None:
    """Creates a folder and its missing parents, accessible to their owner only."""
    for each in (*reversed(folder.absolute().parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def private_file(file: Path) -> None:
    """Creates an empty file, accessible to its owner only, if it does not exist.

    SQLite gives its companion files (`-wal`, `-shm`, `-journal`) the same permissions.
    """
    private_folder(file.parent)
    # Independent of the umask; the permissions of an existing file are not changed.
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def engine(address: URL) -> Engine:
    """An engine on an SQLite file, which is created if it is missing."""
    if address.database:
        private_file(Path(address.database))
    made = create_engine(
        address, pool_size=8, max_overflow=8, connect_args={"check_same_thread": False}, hide_parameters=True
    )
    event.listen(made, "connect", lambda driver, _: _configure(driver, made.get_execution_options()))
    event.listen(made, "begin", _begin)
    return made


def reading_engine(address: URL, *, immutable: bool) -> Engine:
    """An engine on a file that cannot be written; `immutable` where no other process can write it either."""
    uri = f"{Path(address.database or '').absolute().as_uri()}?mode=ro{'&immutable=1' * immutable}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, check_same_thread=False)

    made = create_engine(address, creator=connect, pool_size=8, max_overflow=8, hide_parameters=True)
    made.update_execution_options(reading=True)
    event.listen(made, "connect", lambda driver, _: _configure(driver, made.get_execution_options()))
    event.listen(made, "begin", _begin)
    return made


def has_log(address: URL) -> bool:
    """Whether there is a write-ahead log with changes that may not be in the file."""
    try:
        return Path(f"{address.database}-wal").stat().st_size > 0
    except OSError:
        return False


def _configure(connection: sqlite3.Connection, options: Mapping[str, Any]) -> None:
    # The driver's own transactions would begin too late: after the DDL, which must be inside.
    connection.isolation_level = None
    for setting in _SETTINGS:
        connection.execute(setting)
    if options.get("reading"):
        return
    if not options.get("filling"):
        for setting in _SERVING:
            connection.execute(setting)
        return
    # If another process has the file open, it stays in WAL mode and filling takes longer.
    with suppress(sqlite3.OperationalError):
        for setting in _FILLING:
            connection.execute(setting)


@contextmanager
def filling(engine: Engine) -> Iterator[None]:
    """Makes writing fast until the end of the block; no connection may be open at its beginning or end.

    A killed process loses no committed transaction, but a power failure may corrupt the file. At the end of
    the block all data is on the disk.
    """
    engine.update_execution_options(filling=True)
    try:
        yield
    finally:
        engine.update_execution_options(filling=False)
        engine.dispose()
    _sync(engine)


def _sync(engine: Engine) -> None:
    with engine.connect() as connection:
        (path,) = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE seq = 0").one()
    # Closing a file releases every lock of this process on it, including those of open connections; without
    # the locks another process could remove the write-ahead log.
    engine.dispose()
    with Path(path).open("r+b") as file:
        os.fsync(file.fileno())


def data_version(driver: sqlite3.Connection) -> int | None:
    """Returns a different number after every change by another connection of any process.

    Returns None if the file cannot be read; the next statement then raises the error.
    """
    try:
        number: int = driver.execute("PRAGMA data_version").fetchone()[0]
    except sqlite3.Error:
        return None
    return number


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def is_busy(error: DBAPIError) -> bool:
    """Whether another transaction has locked the database, and went on to for longer than one waits."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


@contextmanager
def writing_if_idle(connection: Connection) -> Iterator[bool]:
    """Like `writing`, but yields False, without a transaction, if another process is writing."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("PRAGMA busy_timeout=0")
    try:
        transaction = connection.execution_options(begin="BEGIN IMMEDIATE").begin()
    except OperationalError as error:
        if not is_busy(error):
            raise
        transaction = None
    finally:
        driver.execute(_BUSY_TIMEOUT)
    if transaction is None:
        yield False
        return
    with transaction:
        yield True


@contextmanager
def writing(connection: Connection, *, foreign_keys: bool) -> Iterator[None]:
    """A transaction that takes the write lock at its beginning, so that it cannot fail to get it later."""
    driver: Any = connection.connection.dbapi_connection
    # The setting has no effect inside a transaction, so it is set before and reset after it.
    driver.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
    try:
        with connection.execution_options(begin="BEGIN IMMEDIATE").begin():
            yield
    finally:
        # SQLAlchemy closes the connection if Ctrl+C interrupts a statement.
        if not connection.invalidated:
            driver.execute("PRAGMA foreign_keys=ON")


log = logging.getLogger(__name__)

_RESERVE_CONTINUES = (
    "reading, signing in and deleting continue, but nothing else is stored until events have been deleted or "
    "the disk has space again."
)
DISK_FULL = f"The disk of the database is full: {_RESERVE_CONTINUES}"
NEARLY_FULL = f"The disk of the database is nearly full: {_RESERVE_CONTINUES}"
_READING_CONTINUES = "reading continues, but nothing can be stored or deleted until it has space again."
_RESERVE_USED = f"The disk of the database is full, and what was reserved is used: {_READING_CONTINUES}"
_SERVER_FULL = f"The disk of the database server is full: {_READING_CONTINUES}"
_DISK_FAILS = "The database cannot be written: its disk or quota is full, or the disk fails."
READ_ONLY = "The database is read-only: nothing can be stored."

_RESERVED_BYTES = 4 << 20
_LEAST_BYTES = 128 << 10
# With less than this besides the reserve, or this part of a small disk, only deletions and log-ins go on.
_FEW_BYTES = 16 << 20
_FEW_PARTS = 8
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
_POSTGRESQL_STATES = {"53100": _SERVER_FULL, "25006": READ_ONLY}


def write_obstacle(error: BaseException, *, used_reserve: bool = False) -> str | None:
    """Why the database could not be written, in words; None if the error has another cause.

    `used_reserve` says that it was not even possible with the space that is reserved for some calls.
    """
    cause = getattr(error, "orig", error)
    if isinstance(cause, sqlite3.Error):
        code: int = getattr(cause, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_FULL:
            return _RESERVE_USED if used_reserve else DISK_FULL
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


class SpaceState(NamedTuple):
    """How much space is left for a database, also inside of its files, and how little is little."""

    free_bytes: int
    watermark_bytes: int

    @property
    def is_low(self) -> bool:
        """Whether what is left is kept for deletions and log-ins."""
        return self.free_bytes < self.watermark_bytes


class DiskSpace:
    """The space on the disk of one SQLite file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._file = Path(engine.url.database or "")
        self._reserve = _reserve(self._file)

    def reserve(self) -> str | None:
        """Makes the reserve if it is missing; returns a warning if little space is left besides it."""
        try:
            if not self._reserve.exists():
                self._make_reserve(self._affordable_size())
            state = self.state()
        except OSError as error:
            return f"No space can be reserved beside the database: {error}."
        return f"{NEARLY_FULL} ({state.free_bytes // 1024} KB are left.)" if state.is_low else None

    def state(self) -> SpaceState:
        """How much space there is. Raises OSError."""
        total, _, free = shutil.disk_usage(self._file.parent)
        watermark = min(_FEW_BYTES, total // _FEW_PARTS)
        return SpaceState(free if free >= watermark else free + self._unused_bytes(), watermark)

    def _unused_bytes(self) -> int:
        """The size of free pages, and of the write-ahead log, which is overwritten."""
        log = self._file.with_name(f"{self._file.name}-wal")
        size = log.stat().st_size if log.exists() else 0
        with suppress(sqlite3.Error, OperationalError), self._engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            pages = driver.execute(
                "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
            )
            size += pages.fetchone()[0]
        return size

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
        size = self._reserve.stat().st_size if self._reserve.exists() else 0
        is_released, is_empty = self.release(), self.empty_log()
        if use_reserve or not is_released:
            return is_empty or is_released
        try:
            self._make_reserve(size)
        except OSError:
            self.restore()
            return False
        return is_empty

    def empty_log(self) -> bool:
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
        """Makes the reserve again if it is missing; returns whether there was space for it.

        It takes no more than half of the space: the write-ahead log needs some to store anything at all.
        """
        if self._reserve.exists():
            return True
        # After a failure it may have the size of all that could not be stored.
        self.empty_log()
        try:
            size = self._affordable_size()
            self._make_reserve(size)
        except OSError:
            return False
        return size >= _LEAST_BYTES


def rename_durably(file: Path, target: Path) -> None:
    """Gives a file, whose content is on the disk, the name of another one, which it replaces."""
    file.replace(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_file(file: Path) -> None:
    """Removes a database file, if it exists, and what SQLite may have left next to it."""
    for end in ("", "-journal", "-wal", "-shm"):
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
