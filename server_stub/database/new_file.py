"""Creates a new SQLite file under a temporary name and renames it when it is complete.

If the process or the computer fails meanwhile, the file is either missing or complete.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from server_stub.database.engine import DatabaseUnusableError
from server_stub.database.sqlite import private_file, private_folder

# What SQLite may leave next to a file.
_COMPANIONS = ("-journal", "-wal", "-shm")
# The timeout for another process that creates the same file, in seconds.
_TIMEOUT = 600


@contextmanager
def new_file(url: str, *, replaces: bool = False) -> Iterator[str | None]:
    """Yields the path of a file to fill, which must be closed at the end of the block.

    Yields None if the file exists already, unless the new one ``replaces`` it, and for any other database.
    Raises DatabaseUnusableError.
    """
    target = _target_of(url, replaces=replaces)
    if target is None:
        yield None
        return
    temporary = target.with_name(f"{target.name}.filling")
    with _exclusive(temporary):
        if target.exists() and not replaces:
            yield None
            return
        _remove(temporary)
        try:
            yield str(temporary)
            _publish(temporary, target)
        finally:
            _remove(temporary)


def _target_of(url: str, *, replaces: bool) -> Path | None:
    try:
        address = make_url(url) if "://" in url else make_url("sqlite://").set(database=url)
    except ArgumentError:
        return None
    name = address.database
    if address.get_backend_name() != "sqlite" or address.query or not name or name.startswith((":", "file:")):
        return None
    target = Path(name)
    try:
        private_folder(target.parent)
        return None if target.exists() and not replaces else target
    except OSError:
        return None  # Opening the file raises the error.


@contextmanager
def _exclusive(temporary: Path) -> Iterator[None]:
    """Holds a lock against other processes that create the same file; it is released if this process ends."""
    file = temporary.with_name(f"{temporary.name}-lock")
    try:
        lock = _locked(file)
    except (sqlite3.Error, OSError) as error:
        raise DatabaseUnusableError(
            f"No file can be made in the folder {temporary.parent}: {error}."
        ) from error
    with closing(lock):
        try:
            yield
        finally:
            # Before the lock is released, so that the file cannot belong to another process. On Windows this
            # fails, which is harmless.
            with suppress(OSError):
                file.unlink()


def _locked(file: Path) -> sqlite3.Connection:
    while True:
        private_file(file)
        lock = sqlite3.connect(file, timeout=_TIMEOUT, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            lock.close()
            # Retries if the owner of the lock has removed the file, which SQLite reports in many ways.
            if file.exists() or error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
                raise
        else:
            return lock


def _publish(temporary: Path, target: Path) -> None:
    """Renames the file after all of it has been written to the disk."""
    if temporary.with_name(f"{temporary.name}-wal").exists():
        raise DatabaseUnusableError(f"Another program has {temporary} open, so it cannot become {target}.")
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    temporary.replace(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(temporary: Path) -> None:
    for name in (temporary.name, *(f"{temporary.name}{companion}" for companion in _COMPANIONS)):
        temporary.with_name(name).unlink(missing_ok=True)
