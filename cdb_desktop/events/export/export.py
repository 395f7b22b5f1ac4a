"""Writes all rows of a query to a file, page by page, so that none is missing or written twice.

Pages go by offset (§4.3), so rows that others delete meanwhile shift the rows that follow. Rows are therefore
requested by ascending id, which new events do not shift, and every page begins with the last row of the page
before it; a page that does not is requested again further up.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec.structs import replace

from cdb_desktop.events.export.checkpoint import Checkpoint
from cdb_desktop.events.export.csv_page import ColumnSection, ExportPage
from cdb_desktop.events.paging import PagePrefetcher, StallGuard
from cdb_desktop.events.part_file import part_path
from cdb_desktop.events.result import PAGE_SIZE, IncompleteResultError
from cdb_desktop.foundation.files import replace_file
from cdb_desktop.foundation.threads import open_in_thread

FetchPage = Callable[[int], Awaitable[Any]]
CountRows = Callable[[], Awaitable[int | None]]


class ExportProgress(msgspec.Struct, frozen=True):
    """The progress of an export; ``total`` is None if the rows have not been counted.

    ``resumed`` of the ``rows`` had been written before this run. ``converted`` rows are in the final format;
    it is None before the conversion begins. ``cut`` values were too long for that format.
    """

    rows: int
    size: int
    seconds: float
    total: int | None = None
    resumed: int = 0
    converted: int | None = None
    cut: int = 0

    @property
    def fraction(self) -> float | None:
        """What is done of reading and then of converting, from 0 to 1."""
        if self.converted is not None:
            return self.converted / self.rows if self.rows else None
        return min(1.0, self.rows / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left, None in the first second."""
        written = self.rows - self.resumed
        if not self.total or not written or self.seconds < 1:
            return None
        return self.seconds / written * max(0, self.total - self.rows)


OnProgress = Callable[[ExportProgress], None]


class FinishedFile(msgspec.Struct, frozen=True):
    """The file that is to be renamed to the target, and how many values were cut in it."""

    file: Path
    cut: int = 0


Finish = Callable[[Path, Checkpoint, Callable[[int], None]], Awaitable[FinishedFile]]


class TooManyRowsError(Exception):
    """There are more rows than the file format can hold."""


class ExportFormat(msgspec.Struct, frozen=True):
    """How a file is made.

    ``read`` makes a page of an answer. ``finish`` converts the complete part file without changing it, and
    reports the number of converted rows. ``save_checkpoint`` is called in a thread after every page,
    ``remove_checkpoint`` at the end. ``max_rows`` is None if there is no limit.
    """

    read: Callable[[Any], ExportPage]
    finish: Finish
    save_checkpoint: Callable[[Checkpoint], None]
    remove_checkpoint: Callable[[], None]
    max_rows: int | None = None


_EMPTY = Checkpoint()


class Export:
    """One export. It writes to ``part``, a file beside the target that is renamed when it is complete.

    ``progress`` and ``checkpoint`` describe its progress, ``resumed`` is the number of rows that were written
    by an earlier run.
    """

    def __init__(
        self,
        fetch: FetchPage,
        target: Path,
        export_format: ExportFormat,
        *,
        total: int | None = None,
        up_to: int | None = None,
        checkpoint: Checkpoint = _EMPTY,
        count: CountRows | None = None,
    ) -> None:
        """``fetch`` returns at most 1000 rows by ascending id from an offset on.

        ``checkpoint`` is that of an interrupted export with the same query and format. ``count`` returns the
        present number of rows: if fewer than ``total`` were returned, it shows whether the others have been
        deleted. Events with an id above ``up_to`` are left out: times are whole seconds (wire §1), so events
        that were added in the second of the newest one cannot be excluded by date.
        """
        self._fetch = fetch
        self._up_to = up_to
        self._format = export_format
        self._total = total
        self._count = count
        self.target = target
        self.part = part_path(target)
        self.checkpoint = checkpoint
        self.resumed = checkpoint.rows
        self.progress = ExportProgress(checkpoint.rows, checkpoint.size, 0.0, total)

    async def run(self, on_progress: OnProgress) -> ExportProgress:
        """Writes the file.

        Raises OSError, CsvPageError, AnswerError, TooManyRowsError, IncompleteResultError if the service
        returns fewer rows than it counts, and what ``fetch`` and the format raise. ``part`` stays then.
        """
        started = time.monotonic()
        file = await open_in_thread(partial(_open_part, self.part, self.checkpoint.size))
        try:
            await self._write_pages(file, started, on_progress)
            await asyncio.to_thread(file.flush)
        finally:
            await asyncio.to_thread(file.close)
        await self._finish(on_progress)
        self._format.remove_checkpoint()
        return self.progress

    @property
    def is_part_kept(self) -> bool:
        """Whether the part file exists and has rows."""
        return self.progress.rows > 0 and self.part.exists()

    def discard(self) -> None:
        """Deletes the part file and the checkpoint."""
        self.part.unlink(missing_ok=True)
        self._format.remove_checkpoint()

    async def _finish(self, on_progress: OnProgress) -> None:
        def on_rows(rows: int) -> None:
            self.progress = replace(self.progress, converted=rows)
            on_progress(self.progress)

        finished = await self._format.finish(self.part, self.checkpoint, on_rows)
        await asyncio.to_thread(replace_file, finished.file, self.target)
        if finished.file != self.part:
            await asyncio.to_thread(self.part.unlink)
        size = (await asyncio.to_thread(self.target.stat)).st_size
        self.progress = replace(self.progress, size=size, cut=finished.cut)

    async def _write_pages(self, file: IO[bytes], started: float, on_progress: OnProgress) -> None:
        prefetcher = PagePrefetcher(self._fetch)
        offset, guard = max(0, self.checkpoint.rows - 1), StallGuard()
        was_short = False  # the page before had fewer rows than were requested
        try:
            while True:
                answer = await prefetcher.page(offset)
                if self._total is None or offset + PAGE_SIZE <= self._total:
                    prefetcher.start(offset + PAGE_SIZE - 1)
                page, rows = await asyncio.to_thread(self._read, answer)
                guard.check(offset, len(page), len(page) - rows.start)
                if offset > 0 and rows.start == 0:
                    # Rows before this offset were deleted, and the rows after them have moved up.
                    offset = max(0, offset - PAGE_SIZE)
                    continue
                offset = max(0, offset + len(page) - 1)
                await asyncio.to_thread(self._write_rows, file, page, rows)
                written, seconds = self.checkpoint, time.monotonic() - started
                self.progress = ExportProgress(written.rows, written.size, seconds, self._total, self.resumed)
                on_progress(self.progress)
                if self._format.max_rows is not None and written.rows > self._format.max_rows:
                    raise TooManyRowsError
                if rows.stop < len(page) or await self._is_end(page, rows, was_short=was_short):
                    return
                was_short = len(page) < PAGE_SIZE
        finally:
            prefetcher.cancel()

    async def _is_end(self, page: ExportPage, rows: range, *, was_short: bool) -> bool:
        """Whether no row follows. Raises IncompleteResultError, and what ``count`` raises.

        A page that is not full may be the last one, or may have been truncated. Unless all rows of the total
        have been written, the following rows are requested until there are no new ones.
        """
        if len(page) == PAGE_SIZE:
            return False
        if self._total is not None and self.checkpoint.rows >= self._total:
            return True
        if rows or not was_short:
            return False
        if self._total is not None and self._count is not None:
            counted = await self._count()
            if counted is not None and counted > self.checkpoint.rows:
                raise IncompleteResultError(self.checkpoint.rows, counted)
        return True

    def _read(self, answer: Any) -> tuple[ExportPage, range]:
        """The page of an answer, and the range of its rows that are to be written."""
        page = self._format.read(answer)
        end = len(page) if self._up_to is None else page.first_after(self._up_to)
        return page, range(page.count_known(self.checkpoint.overlap), end)

    def _write_rows(self, file: IO[bytes], page: ExportPage, rows: range) -> None:
        if not file.tell() and page.header:
            file.write(page.header if page.header.endswith(b"\n") else page.header + b"\r\n")
        before = self.checkpoint
        sections = before.sections
        if not sections or sections[-1].columns != page.columns:
            sections = (*sections, ColumnSection(file.tell(), page.columns))
        for chunk in page.chunks(rows):
            file.write(chunk)
        file.flush()
        ends = page.ends(before.overlap, rows)
        self.checkpoint = Checkpoint(
            before.rows + len(rows),
            file.tell(),
            ends.first if before.first is None else before.first,
            ends.overlap.last,
            sections,
            ends.overlap.tail,
            before.unreadable + ends.unreadable,
        )
        self._format.save_checkpoint(self.checkpoint)


def _open_part(part: Path, size: int) -> IO[bytes]:
    """Opens the part file, truncated to the size in the checkpoint. Raises OSError."""
    if not size:
        return part.open("wb")
    file = part.open("r+b")
    file.truncate(size)
    file.seek(size)
    return file
