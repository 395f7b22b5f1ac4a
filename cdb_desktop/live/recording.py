"""Writes events to a file, one JSON record a line (wire §3); nothing in it signs in. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.records import as_line


class Recording:
    """A file that is open until ``close``; what was written stays, whatever happens to the program."""

    def __init__(self, path: Path) -> None:
        """Begins the file anew. Raises OSError."""
        self.path = path
        self.events = 0
        self._file: IO[bytes] = path.open("wb")

    def write(self, events: Sequence[Event]) -> None:
        """A line for each. Raises OSError; what was written before stays."""
        self._file.write(b"".join(as_line(event) for event in events))
        self._file.flush()
        self.events += len(events)

    def mark(self, moment: datetime) -> None:
        """A line that is no event, for a moment that somebody wants to find again. Raises OSError."""
        self._file.write(msgspec.json.encode({"mark": moment}) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Nothing more is written."""
        # What could not be written cannot be written now either, and has been told.
        with suppress(OSError):
            self._file.close()
