"""Writes whole records to a file, one JSON record a line, before they are deleted. Knows no service.

Until all are written they lie in a file beside the target: under its name there is never half a backup.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from cdb_desktop.client import Record
from cdb_desktop.events.opening import opened
from cdb_desktop.foundation.files import replace_file
from cdb_desktop.vocabulary.event_json import json_line


def part_of(target: Path) -> Path:
    """Where a file lies until it is whole."""
    return target.with_name(f"{target.name}.part")


class LinesFile:
    """Records under way into a file; whoever gives up takes away what was written."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.part = part_of(target)
        self._file: IO[bytes] | None = None
        self._is_begun = False
        self.size = 0

    async def open(self) -> None:
        """Begins. Raises OSError."""
        self._is_begun = True
        self._file = await opened(lambda: self.part.open("wb"))

    async def add(self, records: Sequence[Record]) -> None:
        """Writes a page; what cannot be read as it came. Raises OSError."""
        await self.write(await asyncio.to_thread(_lines, records))

    async def write(self, lines: bytes) -> None:
        """Writes what somebody has made lines of. Raises OSError."""
        if self._file is not None:
            self.size += await asyncio.to_thread(self._file.write, lines)

    async def settle(self) -> None:
        """Puts the file under its name, once it lies on the disk. Raises OSError."""
        if self._file is not None:
            await asyncio.to_thread(self._file.close)
            self._file = None
            await asyncio.to_thread(replace_file, self.part, self.target)
            self._is_begun = False

    def discard(self) -> None:
        """Takes away what was written so far."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._is_begun:
            # Also where it was given up before the file was opened for good.
            self._is_begun = False
            self.part.unlink(missing_ok=True)


def _lines(records: Sequence[Record]) -> bytes:
    return b"".join([json_line(one) for one in records])
