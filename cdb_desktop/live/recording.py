"""Writes events to a file, one JSON record a line (wire §3), without anything that could sign in."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.exclusive_file import create_exclusive
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
        """Writes a line for a moment that the user marks, and another with its name. Raises as `write`."""
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
