"""Writes a file under a temporary name until it is complete, so that there is never half a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from cdb_desktop.client import Record
from cdb_desktop.foundation.files import replace_file
from cdb_desktop.foundation.threads import open_in_thread
from cdb_desktop.vocabulary.event_json import json_line


def part_path(target: Path) -> Path:
    """The path of a file until it is complete."""
    return target.with_name(f"{target.name}.part")


class PartFile:
    """A file that is written in a thread."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.part = part_path(target)
        self._file: IO[bytes] | None = None
        self._exists = False

    async def open(self) -> None:
        """Creates the file. Raises OSError."""
        self._exists = True
        self._file = await open_in_thread(lambda: self.part.open("wb"))

    async def add(self, records: Sequence[Record]) -> None:
        """Writes records as JSON lines, unreadable ones as they came. Raises OSError."""
        if self._file is not None:
            await asyncio.to_thread(_write, self._file, records)

    async def commit(self) -> None:
        """Closes the complete file, syncs it to the disk and gives it its name. Raises OSError."""
        if self._file is not None:
            await asyncio.to_thread(self._file.close)
            self._file = None
            await asyncio.to_thread(replace_file, self.part, self.target)
            self._exists = False

    def discard(self) -> None:
        """Deletes what has been written, also if `open` was cancelled."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._exists:
            self._exists = False
            self.part.unlink(missing_ok=True)


def _write(file: IO[bytes], records: Sequence[Record]) -> None:
    file.write(b"".join(map(json_line, records)))
