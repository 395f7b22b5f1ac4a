"""Specific to SQLite: settings, transactions around DDL, deferred foreign keys."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError

# How long a writer waits for those of other processes, in milliseconds: longer than the largest commit.
_BUSY_TIMEOUT = "PRAGMA busy_timeout=60000"
_SETTINGS = (_BUSY_TIMEOUT, "PRAGMA foreign_keys=ON", f"PRAGMA mmap_size={1 << 30}")
_SERVING = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")
# Pages are written once instead of twice, without waiting for the disk; a second thread sorts indexes.
_FILLING = ("PRAGMA synchronous=OFF", "PRAGMA threads=2", "PRAGMA journal_mode=TRUNCATE")
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


@contextmanager
def writing_if_idle(connection: Connection) -> Iterator[bool]:
    """Like `writing`, but yields False, without a transaction, if another process is writing."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("PRAGMA busy_timeout=0")
    try:
        transaction = connection.execution_options(begin="BEGIN IMMEDIATE").begin()
    except OperationalError as error:
        if getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
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
