"""Writes a whole query as CSV to a file, page by page, so that nothing is missing or twice. Knows no service.

Pages go by offset (§4.3), so what others delete meanwhile shifts those that follow. Therefore rows are asked
for by ascending id, which new events cannot shift, and every page begins with the last row of the one before:
a page that does not is asked for again further up.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cdb_desktop.events.pages import PAGE
from cdb_desktop.events.sheet import Sheet

Fetch = Callable[[int], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an export is; ``total`` is None where nobody has counted."""

    rows: int
    size: int
    seconds: float
    total: int | None = None

    @property
    def part(self) -> float | None:
        """What is done, from 0 to 1."""
        return min(1.0, self.rows / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far, None before that can be told."""
        done = self.part
        return self.seconds / done * (1 - done) if done and self.seconds >= 1 else None


Tell = Callable[[Progress], None]


class Export:
    """One export; ``progress`` is what has been written so far.

    Until all is written it goes to ``part``, a file beside the target, which is then renamed: under the
    target's name there is never half a file.
    """

    def __init__(
        self,
        fetch: Fetch,
        target: Path,
        *,
        delimiter: str = ",",
        total: int | None = None,
        up_to: int | None = None,
    ) -> None:
        """``fetch`` gives at most 1000 rows by ascending id from an offset on, with a header.

        Rows with an id above ``up_to`` are left out: times are whole seconds (wire §1), so what has happened
        since in the second of the newest row cannot be told apart by its date.
        """
        self._fetch = fetch
        self._up_to = up_to
        self._delimiter = delimiter
        self._total = total
        self.target = target
        self.part = target.with_name(f"{target.name}.part")
        self.progress = Progress(0, 0, 0.0, total)

    async def run(self, tell: Tell) -> Progress:
        """Writes everything. Raises OSError, SheetError, what ``fetch`` raises; ``part`` stays then."""
        started = time.monotonic()
        file = await asyncio.to_thread(self.part.open, "wb")
        try:
            await self._write(file, started, tell)
            await asyncio.to_thread(_settle, file)
        finally:
            await asyncio.to_thread(file.close)
        await asyncio.to_thread(self.part.replace, self.target)
        return self.progress

    @property
    def is_part_kept(self) -> bool:
        """Whether rows lie in ``part``."""
        return self.progress.rows > 0 and self.part.exists()

    def discard(self) -> None:
        """Removes what was written so far."""
        self.part.unlink(missing_ok=True)

    async def _write(self, file: IO[bytes], started: float, tell: Tell) -> None:
        offset, last = 0, 0
        while True:
            page = await self._fetch(offset)
            sheet, first = await asyncio.to_thread(self._cut, page, last)
            if offset > 0 and first == 0:
                # Somebody has deleted rows before this place: what followed them has moved up.
                offset = max(0, offset - PAGE)
                continue
            end = len(sheet.rows) if self._up_to is None else sheet.first_after(self._up_to)
            last = await asyncio.to_thread(self._add, file, sheet, range(first, end), last)
            rows = self.progress.rows + max(0, end - first)
            self.progress = Progress(rows, file.tell(), time.monotonic() - started, self._total)
            tell(self.progress)
            if end < PAGE:
                return
            offset += len(sheet.rows) - 1

    def _cut(self, page: bytes, last: int) -> tuple[Sheet, int]:
        sheet = Sheet.of(page, self._delimiter)
        return sheet, sheet.first_after(last)

    def _add(self, file: IO[bytes], sheet: Sheet, rows: range, last: int) -> int:
        if not file.tell():
            header = sheet.header if sheet.header.endswith(b"\n") else sheet.header + b"\r\n"
            file.write(header)
        file.write(sheet.body(rows))
        return sheet.id_of(rows[-1]) if rows else last


def _settle(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
