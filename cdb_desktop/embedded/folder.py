"""Folders of servers: of the demo data, of which other programs get a temporary copy, and of logs in files.

The reference server reads the events of a file into a temporary database and serves it. Databases of logs are
in folders of their own below one parent. Each folder is locked while it is in use, so that the next start can
remove those of programs that have crashed.
"""

from __future__ import annotations

import asyncio
import atexit
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec
from filelock import BaseFileLock, FileLock, Timeout

from cdb_desktop.embedded.child import environment, failure_text, server_program
from cdb_desktop.foundation.bundle import NO_CONSOLE
from cdb_desktop.foundation.errors import FaultError
from cdb_desktop.foundation.files import release_lock, set_aside
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")

_DEMO = "demo.sqlite"
_PREFIX = "log-"  # of the folders of logs


@dataclass(frozen=True, slots=True)
class ServerFolder:
    """The folder of a server's database and log, which is closed when the server has ended.

    ``is_copy``: another program uses the demo data. A temporary folder is removed at the end.
    """

    path: Path
    database: Path
    is_copy: bool = False
    is_temporary: bool = False
    _lock: BaseFileLock | None = None

    @property
    def log(self) -> Path:
        """The log of the server's stderr."""
        return self.path / "server.log"

    def set_damaged_database_aside(self) -> bool:
        """Renames a damaged database, which must not be open; returns whether it did.

        One in a temporary folder stays: the server could not create its data anew.
        """
        if self.is_temporary or not self.database.exists() or not _is_damaged(self.database):
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
        """Unlocks the folder; a temporary one is removed."""
        if self._lock is not None:
            with suppress(OSError):
                self._lock.release()
        if self.is_temporary:
            shutil.rmtree(self.path, ignore_errors=True)


def _is_damaged(database: Path) -> bool:
    try:
        with closing(sqlite3.connect(database)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return False  # not accessible, but not damaged
    except sqlite3.DatabaseError:
        return True
    return bool(found != "ok")


def open_demo_folder(path: Path) -> ServerFolder:
    """Opens ``path``, or a temporary folder if another program uses it. Raises OSError.

    This program may open it again, for a server of the other generation that replaces the first one.
    """
    path.mkdir(parents=True, exist_ok=True)
    # The system releases it when the process ends. Version 0.1 locks the same file in the same way.
    lock = FileLock(path / "in-use", timeout=0, mode=0o600, thread_local=False, is_singleton=True)
    with suppress(Timeout):
        lock.acquire()
        return ServerFolder(path, path / _DEMO, _lock=lock)
    copy = _temporary_folder("demo")
    return ServerFolder(copy, copy / _DEMO, is_copy=True, is_temporary=True)


def open_rehearsal_folder(database: Path | None) -> ServerFolder:
    """A temporary folder with a copy of a database that a server may be using, or without any.

    Blocks while it copies. Raises OSError.
    """
    path = _temporary_folder("rehearsal")
    folder = ServerFolder(path, path / _DEMO, is_temporary=True)
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


def _temporary_folder(purpose: str) -> Path:
    """A folder that is removed at the end of the program at the latest."""
    path = Path(tempfile.mkdtemp(prefix=f"cdb-desktop-{purpose}-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


class LogProgress(msgspec.Struct, frozen=True):
    """How much of the file has been read, and the indexes that have been made of it."""

    bytes_read: int
    bytes_total: int
    events: int
    indexes: int = 0
    indexes_total: int = 0

    @property
    def fraction(self) -> float:
        """What is done, from 0 to 1. Reading takes about two thirds of the time."""
        read = self.bytes_read / self.bytes_total if self.bytes_total else 1.0
        return read * 0.67 + (self.indexes / self.indexes_total * 0.33 if self.indexes_total else 0)


class LogReport(msgspec.Struct, frozen=True):
    """What was read.

    ``repeated`` lines had an id that occurred before: of these records the one with most content is shown.
    ``damaged`` lines contain no event that could be read; ``damaged_lines`` are the numbers of the first.
    """

    events: int
    repeated: int = 0
    damaged: int = 0
    damaged_lines: tuple[int, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether each line is a row."""
        return not (self.repeated or self.damaged)


class LogFileError(FaultError):
    """A file cannot be opened as a log; without a ``reason`` it has no events."""

    def __init__(self, file: Path, reason: str = "") -> None:
        super().__init__("log.failed" if reason else "log.empty", name=file.name, reason=reason)


def open_log_folder(parent: Path) -> ServerFolder:
    """Creates an empty folder in ``parent``, and removes those of crashed programs. Raises OSError."""
    parent.mkdir(parents=True, exist_ok=True)
    with _parent_lock(parent):
        _remove_unused(parent)
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        lock = _lock_of(path)
        lock.acquire()
    return ServerFolder(path, path / "log.sqlite", is_temporary=True, _lock=lock)


def remove_unused_folders(parent: Path) -> None:
    """Removes what crashed programs have left in ``parent``. Raises OSError."""
    if parent.is_dir():
        with _parent_lock(parent):
            _remove_unused(parent)


def _remove_unused(parent: Path) -> None:
    for path in parent.glob(f"{_PREFIX}*"):
        lock = _lock_of(path)
        with suppress(OSError):  # in use, or removed meanwhile
            lock.acquire()
            release_lock(lock)
            shutil.rmtree(path, ignore_errors=True)


def _parent_lock(parent: Path) -> BaseFileLock:
    # Between the creation of a folder and its lock, no other program may take it for unused.
    return FileLock(parent / "in-use", timeout=10, mode=0o600, thread_local=False)


def _lock_of(folder: Path) -> BaseFileLock:
    # The system releases it when the process ends.
    return FileLock(folder / "in-use", timeout=0, mode=0o600, thread_local=False)


async def fill_log(folder: ServerFolder, file: Path, on_progress: Callable[[LogProgress], None]) -> LogReport:
    """Reads the events of ``file`` into the database of ``folder``; the file is never in memory as a whole.

    ``file`` is an absolute path. Raises OSError and LogFileError. Cancelling ends the child process.
    """
    await asyncio.to_thread(_check_readable, file)
    child = await asyncio.create_subprocess_exec(
        *(*server_program(), "--exit-with-stdin", "import-events", str(file), str(folder.database)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(),
        creationflags=NO_CONSOLE,
    )
    if child.stdout is None or child.stderr is None:
        raise ValueError("the process was started without pipes")
    errors = asyncio.ensure_future(child.stderr.read())
    report: LogReport | None = None
    try:
        async for line in child.stdout:
            message = msgspec.json.decode(line, type=dict[str, object])
            if "bytes_total" in message:
                on_progress(msgspec.convert(message, LogProgress))
            else:
                report = msgspec.convert(message, LogReport)
        code, texts = await child.wait(), await errors
    finally:
        errors.cancel()
        if child.returncode is None:
            child.kill()
            await child.wait()
    if report is not None and report.events == 0:
        raise LogFileError(file)
    if code or report is None:
        raise LogFileError(file, failure_text(texts, code))
    return report


def _check_readable(file: Path) -> None:
    with file.open("rb"):
        pass
