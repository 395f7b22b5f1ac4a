"""Snapshots of an SQLite database under names: saved while servers run on it, restored when none does.

A snapshot is a copy of the file, made by the system. SQLite's own copy (`sqlite3.Connection.backup`) takes
two to three times as long, `VACUUM INTO` four to six times; a file system that shares blocks copies nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from server_stub.backup.contents import END_SESSIONS, BackupError
from server_stub.database.sqlite import private_folder, remove_file, rename_durably

_NAME = re.compile(r"\w(?:[\w .,+()-]{0,62}[\w)+])?")
_SUFFIX = ".sqlite"
_WAIT_MILLISECONDS = 60_000
_ABANDONED_SECONDS = 600


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot: when it was saved in epoch seconds, its size in bytes, and the last event id."""

    name: str
    saved: int
    size: int
    last_event: int


class Snapshots:
    """The snapshots of one database file, in a folder beside it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._folder = database.with_name(f"{database.name}.snapshots")

    def all(self) -> list[Snapshot]:
        """All snapshots, the newest first."""
        files = sorted(self._folder.glob(f"*{_SUFFIX}")) if self._folder.is_dir() else []
        return sorted(map(_described, files), key=lambda found: (-found.saved, found.name))

    def save(self, name: str, *, replaces: bool = False) -> Snapshot:
        """Saves the database under a name; writers wait meanwhile. Raises BackupError."""
        target = self._file(name)
        self._require_database()
        if target.exists() and not replaces:
            raise BackupError(
                f"There is a snapshot {name} already. Choose another name, remove it, or give --force."
            )
        with _reported("saved"):
            private_folder(self._folder)
            # Removes what saving has left that was killed.
            for file in self._folder.glob("*.unfinished*"):
                with suppress(FileNotFoundError):
                    if time.time() - file.stat().st_mtime > _ABANDONED_SECONDS:
                        file.unlink()
            temporary = self._folder / f"{name}.{os.getpid()}.unfinished"
            try:
                self._copy_to(temporary)
                _complete(temporary)
                rename_durably(temporary, target)
            finally:
                remove_file(temporary)
        return _described(target)

    def restore(self, name: str) -> Snapshot:
        """Replaces the database by a snapshot. Raises BackupError if a server runs on it."""
        source = self._existing(name)
        self._require_database()
        temporary = self._database.with_name(f"{self._database.name}.restoring")
        with _reported("restored"), self._alone() as database:
            remove_file(temporary)
            try:
                with source.open("rb") as old, _new(temporary) as new:
                    _copy(old, new)
                    os.fsync(new.fileno())
                _end_sessions(temporary)
                if os.name != "posix":
                    database.close()  # Windows cannot replace an open file.
                # A server that starts now waits for the lock of the old file, and then opens the new one.
                rename_durably(temporary, self._database)
            finally:
                remove_file(temporary)
        return _described(source)

    def remove(self, name: str) -> None:
        """Removes a snapshot. Raises BackupError."""
        with _reported("removed"):
            self._existing(name).unlink()

    def _file(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise BackupError(
                f"{name!r} cannot name a snapshot: use at most 64 letters, digits, blanks, and . , + - _ ( )."
            )
        return self._folder / f"{name}{_SUFFIX}"

    def _existing(self, name: str) -> Path:
        file = self._file(name)
        if not file.is_file():
            known = ", ".join(each.name for each in self.all())
            raise BackupError(
                f"There is no snapshot {name}. "
                + (f"There are: {known}." if known else "There are none yet.")
            )
        return file

    def _require_database(self) -> None:
        if not self._database.is_file():
            raise BackupError(f"There is no database {self._database}.")

    def _copy_to(self, target: Path) -> None:
        """Copies the file and its write-ahead log while the lock of writers is held.

        Nobody can append to the log meanwhile or begin it anew. Pages that a checkpoint copies into the file
        at the same time are in the log as well.
        """
        log = self._database.with_name(f"{self._database.name}-wal")
        # Closing a file releases this process's locks on it: files are opened before and closed after.
        with self._database.open("rb") as main, closing(_connect(self._database)) as database:
            with suppress(sqlite3.OperationalError):
                database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            database.execute("BEGIN IMMEDIATE")
            with _new(target) as new:
                _copy(main, new)
            if log.exists() and log.stat().st_size:
                with log.open("rb") as old, _new(target.with_name(f"{target.name}-wal")) as new:
                    _copy(old, new)
            database.execute("ROLLBACK")

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """A connection that holds all locks, without a write-ahead log."""
        with closing(_connect(self._database)) as database:
            try:
                database.execute("PRAGMA busy_timeout=500")
                # Possible only if no other connection is open, even an idle one.
                database.execute("PRAGMA journal_mode=DELETE").fetchone()
                database.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                raise BackupError(
                    f"A server or another program uses {self._database}. Stop it and try again."
                ) from None
            yield database


def _connect(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file, isolation_level=None)
    database.execute(f"PRAGMA busy_timeout={_WAIT_MILLISECONDS}")
    return database


@contextmanager
def _new(file: Path) -> Iterator[IO[bytes]]:
    with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as new:  # noqa: PTH123
        yield new


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    """Copies a file; shares the blocks where the file system can."""
    if hasattr(os, "copy_file_range"):
        with suppress(OSError):
            left = os.fstat(source.fileno()).st_size
            while left and (copied := os.copy_file_range(source.fileno(), target.fileno(), left)):
                left -= copied
            if not left:
                return
    source.seek(0)
    target.seek(0)
    target.truncate()
    shutil.copyfileobj(source, target, 1 << 20)
    target.flush()


def _complete(file: Path) -> None:
    """Makes one file of a copy and its write-ahead log, and writes it to the disk."""
    with closing(_connect(file)) as copy:
        mode = copy.execute("PRAGMA journal_mode=DELETE").fetchone()
        if mode != ("delete",):
            raise BackupError(f"The copy {file} cannot be completed.")
        copy.execute("SELECT value FROM _counter").fetchone()
    with file.open("r+b") as written:
        os.fsync(written.fileno())


def _end_sessions(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        # Version 0.1 had no tokens.
        has_tokens = database.execute("SELECT 1 FROM sqlite_master WHERE name = '_oauth_token'").fetchone()
        for statement in END_SESSIONS if has_tokens else END_SESSIONS[:1]:
            database.execute(statement)


def _described(file: Path) -> Snapshot:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as snapshot:
        last = snapshot.execute("SELECT value FROM _counter WHERE name = 'event'").fetchone()
    status = file.stat()
    return Snapshot(
        file.name.removesuffix(_SUFFIX), int(status.st_mtime), status.st_size, last[0] if last else 0
    )


@contextmanager
def _reported(done: str) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise BackupError(f"The snapshot cannot be {done}: {error}.") from error
