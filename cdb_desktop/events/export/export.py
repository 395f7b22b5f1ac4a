"""Writes a whole query to a file, page by page, so that nothing is missing or twice. Knows no service.

Pages go by offset (§4.3), so what others delete meanwhile shifts those that follow. Therefore rows are asked
for by ascending id, which new events cannot shift, and every page begins with the last row of the one before:
a page that does not is asked for again further up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec
from msgspec.structs import replace

from cdb_desktop.events.export.checkpoint import Checkpoint
from cdb_desktop.events.export.csv_columns import ColumnSection
from cdb_desktop.events.export.csv_page import CsvPage
from cdb_desktop.events.paging import PageOverlap, PagePrefetcher, RowEnds, StallGuard
from cdb_desktop.events.part_file import open_in_thread
from cdb_desktop.events.result import PAGE_SIZE, IncompleteResultError
from cdb_desktop.foundation.files import replace_file

FetchPage = Callable[[int], Awaitable[Any]]
CountRows = Callable[[], Awaitable[int | None]]


class ExportPage(Protocol):
    """One page as it is written: a header, and rows by ascending id."""

    @property
    def header(self) -> bytes: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def known(self, seam: PageOverlap) -> int: ...
    def first_after(self, last: int) -> int: ...
    def ends(self, seam: PageOverlap, chosen: range) -> RowEnds: ...
    def pieces(self, chosen: range) -> Iterable[bytes]: ...


Keep = Callable[[Checkpoint], None]


class ExportProgress(msgspec.Struct, frozen=True):
    """How far an export is; ``total`` is None where nobody has counted.

    ``made`` of the rows, which are all there by then, have got their last form; None before that begins.
    ``cut`` values were too long for it.
    """

    rows: int
    size: int
    seconds: float
    total: int | None = None
    resumed: int = 0
    made: int | None = None
    cut: int = 0

    @property
    def part(self) -> float | None:
        """What is done of the reading, and then of the making, from 0 to 1."""
        if self.made is not None:
            return self.made / self.rows if self.rows else None
        return min(1.0, self.rows / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far, None before that can be told."""
        written = self.rows - self.resumed
        if not self.total or not written or self.seconds < 1:
            return None
        return self.seconds / written * max(0, self.total - self.rows)


Tell = Callable[[ExportProgress], None]


class FinishedFile(msgspec.Struct, frozen=True):
    """The file that is to get the target's name, and how many values had to be cut for it."""

    file: Path
    cut: int = 0


Finish = Callable[[Path, Checkpoint, Callable[[int], None]], Awaitable[FinishedFile]]


class TooManyRowsError(Exception):
    """There are more rows than the file can hold."""


async def _no_finish(part: Path, _kept: Checkpoint, _tell: Callable[[int], None]) -> FinishedFile:
    return FinishedFile(part)


def _no_keeping(_kept: Checkpoint) -> None:
    return None


def _nothing_kept() -> None:
    return None


class ExportFormat(msgspec.Struct, frozen=True):
    """What a file is made of: ``read`` makes pages of answers, ``finish`` a file of the whole at the end.

    ``keep`` is told how far it is after every page, in a thread, and ``forget`` that nothing of it shall be
    kept. ``finish`` leaves the part as it is, and tells how many rows it has done where it takes long.
    """

    read: Callable[[Any], ExportPage] = CsvPage.of
    finish: Finish = _no_finish
    keep: Keep = _no_keeping
    forget: Callable[[], None] = _nothing_kept
    most: int | None = None  # rows


_PLAIN, _NOTHING = ExportFormat(), Checkpoint()


class Export:
    """One export; ``progress`` is what has been written so far.

    Until all is written it goes to ``part``, a file beside the target, which is then renamed: under the
    target's name there is never half a file.
    """

    def __init__(
        self,
        fetch: FetchPage,
        target: Path,
        *,
        total: int | None = None,
        up_to: int | None = None,
        shape: ExportFormat = _PLAIN,
        kept: Checkpoint = _NOTHING,
        count: CountRows | None = None,
    ) -> None:
        """``fetch`` gives at most 1000 rows by ascending id from an offset on; ``shape`` reads them.

        ``count`` gives the number of rows there are by now: where fewer than ``total`` have come, it tells
        whether the others have been deleted.

        With ``kept`` it goes on where an export with the same query and shape has stopped. Rows with an id
        above ``up_to`` are left out: times are whole seconds (wire §1), so what has happened since in the
        second of the newest row cannot be told apart by its date.
        """
        self._fetch = fetch
        self._up_to = up_to
        self._shape = shape
        self._total = total
        self._count = count
        self.target = target
        self.part = target.with_name(f"{target.name}.part")
        self.kept = kept
        self.resumed = kept.rows
        self.progress = ExportProgress(kept.rows, kept.size, 0.0, total)

    async def run(self, tell: Tell) -> ExportProgress:
        """Writes everything. Raises OSError, SheetError, AnswerError, what ``fetch`` and ``finish`` raise.

        ``part`` stays then. Raises TooManyRowsError too, and IncompleteError if the service gives fewer rows
        than it counts.
        """
        started = time.monotonic()
        file = await open_in_thread(partial(_opened, self.part, self.kept.size))
        try:
            await self._write(file, started, tell)
            await asyncio.to_thread(file.flush)
        finally:
            await asyncio.to_thread(file.close)
        await self._finish(tell)
        self._shape.forget()
        return self.progress

    @property
    def is_part_kept(self) -> bool:
        """Whether rows lie in ``part``."""
        return self.progress.rows > 0 and self.part.exists()

    def discard(self) -> None:
        """Removes what was written so far."""
        self.part.unlink(missing_ok=True)
        self._shape.forget()

    async def _finish(self, tell: Tell) -> None:
        def told(rows: int) -> None:
            self.progress = replace(self.progress, made=rows)
            tell(self.progress)

        finished = await self._shape.finish(self.part, self.kept, told)
        await asyncio.to_thread(replace_file, finished.file, self.target)
        if finished.file != self.part:
            await asyncio.to_thread(self.part.unlink)
        size = (await asyncio.to_thread(self.target.stat)).st_size
        self.progress = replace(self.progress, size=size, cut=finished.cut)

    async def _write(self, file: IO[bytes], started: float, tell: Tell) -> None:
        ahead = PagePrefetcher(self._fetch)
        offset, pace = max(0, self.kept.rows - 1), StallGuard()
        is_short = False  # the page before was shorter than asked for
        try:
            while True:
                answer = await ahead.page(offset)
                if self._total is None or offset + PAGE_SIZE <= self._total:
                    ahead.expect(offset + PAGE_SIZE - 1)
                page, rows = await asyncio.to_thread(self._cut, answer)
                pace.check(offset, len(page), len(page) - rows.start)
                if offset > 0 and rows.start == 0:
                    # Somebody has deleted rows before this place: what followed them has moved up.
                    offset = max(0, offset - PAGE_SIZE)
                    continue
                offset = max(0, offset + len(page) - 1)
                await asyncio.to_thread(self._add, file, page, rows)
                seconds = time.monotonic() - started
                self.progress = ExportProgress(
                    self.kept.rows, self.kept.size, seconds, self._total, self.resumed
                )
                tell(self.progress)
                if self._shape.most is not None and self.kept.rows > self._shape.most:
                    raise TooManyRowsError
                if rows.stop < len(page) or await self._is_end(page, rows, is_short=is_short):
                    return
                is_short = len(page) < PAGE_SIZE
        finally:
            ahead.cancel()

    async def _is_end(self, page: ExportPage, rows: range, *, is_short: bool) -> bool:
        """Whether no row follows. Raises IncompleteError, what ``count`` raises.

        A page that is not full may be the last one, or cut short on its way: unless it brings the rows to
        their total, what follows is asked for until nothing new comes.
        """
        if len(page) == PAGE_SIZE:
            return False
        if self._total is not None and self.kept.rows >= self._total:
            return True
        if rows or not is_short:
            return False
        if self._total is not None and self._count is not None:
            counted = await self._count()
            if counted is not None and counted > self.kept.rows:
                raise IncompleteResultError(self.kept.rows, counted)
        return True

    def _cut(self, answer: Any) -> tuple[ExportPage, range]:
        page = self._shape.read(answer)
        end = len(page) if self._up_to is None else page.first_after(self._up_to)
        return page, range(page.known(self.kept.seam), end)

    def _add(self, file: IO[bytes], page: ExportPage, rows: range) -> None:
        if not file.tell() and page.header:
            file.write(page.header if page.header.endswith(b"\n") else page.header + b"\r\n")
        kept = self.kept
        stretches = kept.stretches
        if not stretches or stretches[-1].columns != page.columns:
            stretches = (*stretches, ColumnSection(file.tell(), page.columns))
        for piece in page.pieces(rows):
            file.write(piece)
        file.flush()
        ends = page.ends(kept.seam, rows)
        self.kept = Checkpoint(
            kept.rows + len(rows),
            file.tell(),
            ends.first if kept.first is None else kept.first,
            ends.seam.last,
            stretches,
            ends.seam.tail,
            kept.unreadable + ends.unreadable,
        )
        self._shape.keep(self.kept)


def _opened(part: Path, size: int) -> IO[bytes]:
    """The part, cut to what is known to be good of it. Raises OSError."""
    if not size:
        return part.open("wb")
    file = part.open("r+b")
    file.truncate(size)
    file.seek(size)
    return file
