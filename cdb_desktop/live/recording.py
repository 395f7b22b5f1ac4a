"""Writes events to a file, one JSON record a line (wire §3), without anything that could sign in."""

import errno
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Literal

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.foundation.files import replace_with_empty
from cdb_desktop.vocabulary.event_json import json_line

FileChange = Literal["gone", "replaced", "changed"]


class FileChangedError(OSError):
    """The file at the path is no longer the one that was written."""

    def __init__(self, change: FileChange) -> None:
        super().__init__(change)
        self.change: FileChange = change


class Recording:
    """An open file. Lines are written at once, so that a crash loses none.

    ``lines`` are the complete lines, ``events`` those of events. ``last`` is the id of the last event in the
    file, ``missing`` that of the first event that could not be written.
    """

    def __init__(self, path: Path) -> None:
        """Creates the file. Raises OSError, and FileInUseError if it is being recorded to already."""
        self.path = path.absolute()
        self.lines = 0
        self.events = 0
        self.last: int | None = None
        self.missing: int | None = None
        self._size = 0
        # Unbuffered: it is known what has reached the file, and nothing is written late.
        self._file = create_exclusive(self.path)

    def write(self, events: Sequence[Event]) -> None:
        """Writes a line for each event. Raises OSError, FileChangedError; lines are never written in part."""
        before = self.lines
        try:
            self._append(b"".join(json_line(event) for event in events))
        finally:
            written = self.lines - before
            self.events += written
            if written:
                self.last = events[written - 1].id
            if written < len(events):
                self.missing = events[written].id

    def mark(self, moment: datetime, name: str = "") -> None:
        """Writes a line for a moment that the user marks, with its name if it has one. Raises as `write`."""
        line = {"mark": moment, "name": name} if name else {"mark": moment}
        self._append(msgspec.json.encode(line) + b"\n")

    def check(self) -> None:
        """Raises FileChangedError if the file was deleted, renamed, replaced or changed; OSError."""
        opened = os.fstat(self._file.fileno())
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise FileChangedError("gone") from None
        if not os.path.samestat(opened, found):
            raise FileChangedError("replaced")
        if stat.S_ISREG(opened.st_mode) and opened.st_size != self._size:
            raise FileChangedError("changed")

    def close(self) -> None:
        """Closes the file."""
        with suppress(OSError):  # what could not be written has been reported
            self._file.close()

    def _append(self, body: bytes) -> None:
        self.check()
        done = 0
        try:
            while done < len(body):
                done += self._file.write(body[done:]) or 0
        finally:
            complete = body.rfind(b"\n", 0, done) + 1
            if complete < done:
                # A full disk may leave a partial line, which is unreadable.
                with suppress(OSError):
                    self._file.truncate(self._size + complete)
            self._size += complete
            self.lines += body.count(b"\n", 0, complete)


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 2**31 - 2  # far behind the content, which others may read

    def _lock(file: FileIO) -> None:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_LOCKED = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class FileInUseError(OSError):
    """The file has a writer already."""


def create_exclusive(path: Path) -> FileIO:
    """An empty file to append to, locked until it is closed. Raises OSError, FileInUseError.

    An existing file is replaced by a new one rather than truncated: programs that have it open keep it.
    """
    path = path.resolve()
    file = _open_locked(path)
    if not os.fstat(file.fileno()).st_size:
        return file
    try:
        if sys.platform == "win32":
            file.close()  # an open file cannot be replaced on Windows
        replace_with_empty(path)
    finally:
        file.close()
    return _open_locked(path)


def _open_locked(path: Path) -> FileIO:
    while True:
        file = FileIO(path, "ab")
        try:
            _try_lock(file)
            # Another program may have replaced it between opening and locking.
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()


def _try_lock(file: FileIO) -> None:
    try:
        _lock(file)
    except OSError as error:
        if error.errno in _LOCKED:
            raise FileInUseError(*error.args) from error
        # File systems without locks are written to all the same.
