"""What only SQLite needs: settings, transactions around DDL, deferred foreign keys."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

_SETTINGS = ("PRAGMA busy_timeout=10000", "PRAGMA foreign_keys=ON", f"PRAGMA mmap_size={1 << 30}")
_SERVING = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL")
# Each page is written once instead of twice, nothing waits for the disk, a second core helps to sort indexes.
_FILLING = ("PRAGMA synchronous=OFF", "PRAGMA threads=2", "PRAGMA journal_mode=TRUNCATE")
# The driver asks every None in vain for another form of it, which takes as long as storing the rest of a row.
# An adapter in C that answers None spares it that.
_NO_OTHERS: dict[None, None] = {}
sqlite3.register_adapter(type(None), _NO_OTHERS.get)


def private_folder(folder: Path) -> None:
    """Makes a folder, and those above it, for their owner alone where they are missing."""
    for each in (*reversed(folder.absolute().parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def private_file(file: Path) -> None:
    """Makes an empty file for its owner alone where none is.

    SQLite gives its companion files (`-wal`, `-shm`, `-journal`) the rights of the file.
    """
    private_folder(file.parent)
    # Whatever the umask of the process is; a file that exists keeps the rights that somebody gave it.
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def engine(address: URL) -> Engine:
    """An engine on an SQLite file, which is made when it is missing."""
    if address.database:
        private_file(Path(address.database))
    made = create_engine(
        address, pool_size=8, max_overflow=8, connect_args={"check_same_thread": False}, hide_parameters=True
    )
    event.listen(made, "connect", lambda driver, _: _configure(driver, made.get_execution_options()))
    event.listen(made, "begin", _begin)
    return made


def _configure(connection: sqlite3.Connection, options: Mapping[str, Any]) -> None:
    # The driver's own transactions would begin too late: after the DDL, which must be inside.
    connection.isolation_level = None
    for setting in _SETTINGS:
        connection.execute(setting)
    if not options.get("filling"):
        for setting in _SERVING:
            connection.execute(setting)
        return
    # Where another process has the file open, it stays in WAL mode and the filling takes longer.
    with suppress(sqlite3.OperationalError):
        for setting in _FILLING:
            connection.execute(setting)


@contextmanager
def filling(engine: Engine) -> Iterator[None]:
    """Until its end, writing costs least; no connection may be open at the beginning nor at the end.

    A process that is killed leaves what it committed, as ever; a computer that fails may leave a broken file,
    so this is for one with nothing in it to lose. At the end all of it is on the disk.
    """
    engine.update_execution_options(filling=True)
    try:
        yield
    finally:
        engine.update_execution_options(filling=False)
        engine.dispose()
    _reach_disk(engine)


def _reach_disk(engine: Engine) -> None:
    with engine.connect() as connection:
        (path,) = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE seq = 0").one()
    # Closing a file ends every lock of this process on it, those of open connections too; without them
    # another process could take the write-ahead log away.
    engine.dispose()
    with Path(path).open("r+b") as file:
        os.fsync(file.fileno())


def data_version(driver: sqlite3.Connection) -> int | None:
    """Another number after every change by another connection, of whichever process.

    None where the file cannot be read: the statement that is run next says why.
    """
    try:
        number: int = driver.execute("PRAGMA data_version").fetchone()[0]
    except sqlite3.Error:
        return None
    return number


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def writing(connection: Connection, *, foreign_keys: bool) -> Iterator[None]:
    """A write transaction that takes the write lock at once, so that it can never fail half-way for it."""
    driver: Any = connection.connection.dbapi_connection
    # The setting has no effect inside a transaction, so it is made before and undone after.
    driver.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
    try:
        with connection.execution_options(begin="BEGIN IMMEDIATE").begin():
            yield
    finally:
        # Ctrl+C within a statement has SQLAlchemy close the connection.
        if not connection.invalidated:
            driver.execute("PRAGMA foreign_keys=ON")
