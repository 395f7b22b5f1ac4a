"""Writes events to a file, one JSON record a line (wire §3); nothing in it signs in. No Qt."""

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
from cdb_desktop.live.sole_file import opened_alone
from cdb_desktop.vocabulary.event_json import json_line

Loss = Literal["gone", "replaced", "changed"]


class LostFileError(OSError):
    """The file under the name is not any more what was written to it."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss)
        self.loss: Loss = loss


class Recording:
    """A file that is open until ``close``; what was written stays, whatever happens to the program.

    ``lines`` are the whole ones in the file, ``events`` those of events. ``last`` is the id of the newest
    event in it, ``missing`` that of the first one that could not be written.
    """

    def __init__(self, path: Path) -> None:
        """Begins the file anew. Raises OSError, and HeldError where somebody writes to it already."""
        self.path = path.absolute()
        self.lines = 0
        self.events = 0
        self.last: int | None = None
        self.missing: int | None = None
        self._size = 0
        # Without a buffer: it is known what has reached the file, and nothing is written late.
        self._file = opened_alone(self.path)

    def write(self, events: Sequence[Event]) -> None:
        """A line for each. Raises OSError, LostFileError; the lines that were written before stay whole."""
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

    def mark(self, moment: datetime) -> None:
        """A line that is no event, for a moment somebody wants to find again. Raises as ``write``."""
        self._append(msgspec.json.encode({"mark": moment}) + b"\n")

    def check(self) -> None:
        """Raises LostFileError where the file was deleted, renamed, replaced or changed; OSError."""
        held = os.fstat(self._file.fileno())
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise LostFileError("gone") from None
        if not os.path.samestat(held, found):
            raise LostFileError("replaced")
        if stat.S_ISREG(held.st_mode) and held.st_size != self._size:
            raise LostFileError("changed")

    def close(self) -> None:
        """Nothing more is written."""
        # What could not be written cannot be written now either, and has been told.
        with suppress(OSError):
            self._file.close()

    def _append(self, body: bytes) -> None:
        self.check()
        done = 0
        try:
            while done < len(body):
                done += self._file.write(body[done:]) or 0
        finally:
            whole = body.rfind(b"\n", 0, done) + 1
            if whole < done:
                # A full disc takes a part of a line, which nobody could read.
                with suppress(OSError):
                    self._file.truncate(self._size + whole)
            self._size += whole
            self.lines += body.count(b"\n", 0, whole)
