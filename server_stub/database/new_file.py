"""Makes a new SQLite file under another name and renames it when it is complete.

Whatever fails meanwhile, the process or the computer: under its own name the file is missing or complete.
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

# What SQLite may leave beside a file.
_COMPANIONS = ("-journal", "-wal", "-shm")
# How long somebody else may take who makes the same file, in seconds.
_PATIENCE = 600


@contextmanager
def new_file(url: str) -> Iterator[str | None]:
    """Yields the path of the file to fill, which must be closed at the end of the block.

    Yields None if the file exists already, and for any other database. Raises DatabaseUnusableError.
    """
    place = _missing_file(url)
    if place is None:
        yield None
        return
    beside = place.with_name(f"{place.name}.filling")
    with _alone(beside):
        if place.exists():
            yield None
            return
        _remove(beside)
        try:
            yield str(beside)
            _put(beside, place)
        finally:
            _remove(beside)


def _missing_file(url: str) -> Path | None:
    try:
        address = make_url(url) if "://" in url else make_url("sqlite://").set(database=url)
    except ArgumentError:
        return None
    name = address.database
    if address.get_backend_name() != "sqlite" or address.query or not name or name.startswith((":", "file:")):
        return None
    place = Path(name)
    try:
        private_folder(place.parent)
        return None if place.exists() else place
    except OSError:
        return None  # Whoever opens it tells why it cannot be.


@contextmanager
def _alone(beside: Path) -> Iterator[None]:
    """Holds a lock against others who make the same file; it ends with the process, however that ends."""
    file = beside.with_name(f"{beside.name}-lock")
    try:
        lock = _locked(file)
    except (sqlite3.Error, OSError) as error:
        raise DatabaseUnusableError(f"No file can be made in the folder {beside.parent}: {error}.") from error
    with closing(lock):
        try:
            yield
        finally:
            # Before the lock ends, so that it is not another one's by now. Windows keeps it, which does no
            # harm.
            with suppress(OSError):
                file.unlink()


def _locked(file: Path) -> sqlite3.Connection:
    while True:
        private_file(file)
        lock = sqlite3.connect(file, timeout=_PATIENCE, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            lock.close()
            # Unless whoever had the lock has removed its file, which SQLite tells in many ways.
            if file.exists() or error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
                raise
        else:
            return lock


def _put(beside: Path, place: Path) -> None:
    """Renames the file once all of it has reached the disk."""
    if beside.with_name(f"{beside.name}-wal").exists():
        raise DatabaseUnusableError(f"Another program has {beside} open, so it cannot become {place}.")
    with beside.open("r+b") as file:
        os.fsync(file.fileno())
    beside.replace(place)
    if os.name == "posix":
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(beside: Path) -> None:
    for name in (beside.name, *(f"{beside.name}{companion}" for companion in _COMPANIONS)):
        beside.with_name(name).unlink(missing_ok=True)
