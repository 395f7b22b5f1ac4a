"""The folder of the demo data: used by one program at a time; others get a temporary copy."""

from __future__ import annotations

import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from filelock import BaseFileLock, FileLock, Timeout

from cdb_desktop.foundation.files import set_aside
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")


class ServerFolder(Protocol):
    """The folder of a server's database and log; ``close`` is called when the server has ended."""

    @property
    def path(self) -> Path: ...
    @property
    def database(self) -> Path: ...
    @property
    def log(self) -> Path: ...
    @property
    def is_copy(self) -> bool: ...
    def set_damaged_database_aside(self) -> bool: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """The folder of database and log, locked until it is closed."""

    path: Path
    is_copy: bool
    _lock: BaseFileLock | None = None
    _temporary: tempfile.TemporaryDirectory[str] | None = None

    @property
    def database(self) -> Path:
        """The server's database file."""
        return self.path / "demo.sqlite"

    @property
    def log(self) -> Path:
        """The log of the server's stderr."""
        return self.path / "server.log"

    def set_damaged_database_aside(self) -> bool:
        """Renames a damaged database, which must not be open; returns whether it did."""
        if not self.database.exists() or not _is_damaged(self.database):
            return False
        if set_aside(self.database, "no sound SQLite database") is None:
            return False
        for suffix in ("-wal", "-shm"):
            with suppress(OSError):
                self.database.with_name(self.database.name + suffix).unlink(missing_ok=True)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Unlocks the folder; a temporary one is deleted."""
        if self._lock is not None:
            self._lock.release()
        if self._temporary is not None:
            self._temporary.cleanup()


def _is_damaged(database: Path) -> bool:
    try:
        with closing(sqlite3.connect(database)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return False  # not accessible, but not damaged
    except sqlite3.DatabaseError:
        return True
    return bool(found != "ok")


def open_demo_folder(path: Path) -> DemoFolder:
    """Opens ``path``, or a temporary folder if another program uses it. Raises OSError."""
    path.mkdir(parents=True, exist_ok=True)
    # The system releases it when the process ends. Version 0.1 locks the same file in the same way.
    lock = FileLock(path / "in-use", timeout=0, mode=0o600, thread_local=False)
    with suppress(Timeout):
        lock.acquire()
        return DemoFolder(path, is_copy=False, _lock=lock)
    temporary = tempfile.TemporaryDirectory(prefix="cdb-desktop-demo-", ignore_cleanup_errors=True)
    return DemoFolder(Path(temporary.name), is_copy=True, _temporary=temporary)


def open_rehearsal_folder(database: Path | None) -> DemoFolder:
    """A temporary folder with a copy of a database that a server may be using, or without any.

    Blocks while it copies. Raises OSError.
    """
    temporary = tempfile.TemporaryDirectory(prefix="cdb-desktop-rehearsal-", ignore_cleanup_errors=True)
    folder = DemoFolder(Path(temporary.name), is_copy=True, _temporary=temporary)
    if database is not None:
        try:
            with (
                closing(sqlite3.connect(database)) as source,
                closing(sqlite3.connect(folder.database)) as copy,
            ):
                source.backup(copy)
        except sqlite3.Error as error:
            folder.close()
            raise OSError(str(error)) from error
    return folder
