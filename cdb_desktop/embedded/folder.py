"""The folder of the demo data."""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from cdb_desktop.foundation.files import set_aside
from cdb_desktop.foundation.lazy import lazy

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_file(path: Path) -> IO[bytes] | None:
    """The locked file, to be kept open for as long as it matters; None if somebody else holds it."""
    file = path.open("ab")
    try:
        _take(file)
    except OSError:
        file.close()
        return None
    return file


if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """Where database and log lie; held until it is closed."""

    path: Path
    is_copy: bool
    _lock: IO[bytes] | None = None
    _temporary: tempfile.TemporaryDirectory[str] | None = None

    @property
    def database(self) -> Path:
        """The server's database file."""
        return self.path / "demo.sqlite"

    @property
    def log(self) -> Path:
        """What the server writes to its stderr."""
        return self.path / "server.log"

    def set_damaged_database_aside(self) -> bool:
        """Whether the database was damaged and is out of the way now. Nobody may have it open."""
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
        """Lets the next program have the data; a copy is thrown away."""
        if self._lock is not None:
            self._lock.close()
        if self._temporary is not None:
            self._temporary.cleanup()


def _is_damaged(database: Path) -> bool:
    try:
        with closing(sqlite3.connect(database)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return False  # it cannot be opened today, which is no damage
    except sqlite3.DatabaseError:
        return True
    return bool(found != "ok")


def open_demo_folder(path: Path) -> DemoFolder:
    """``path``, made if need be, or a temporary folder while another program holds it. Raises OSError."""
    path.mkdir(parents=True, exist_ok=True)
    lock = lock_file(path / "in-use")
    if lock is not None:
        return DemoFolder(path, is_copy=False, _lock=lock)
    temporary = tempfile.TemporaryDirectory(prefix="cdb-desktop-demo-", ignore_cleanup_errors=True)
    return DemoFolder(Path(temporary.name), is_copy=True, _temporary=temporary)
