"""Asks for a file and writes the query that is shown to it, telling how it goes; can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import CsvOptions, EventFilter, Record
from cdb_desktop.events.export.checkpoint import load_checkpoint
from cdb_desktop.events.export.export import Export, ExportProgress, FetchPage, TooManyRowsError
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.receipt import ExportedQuery, receipt_path, write_receipt
from cdb_desktop.events.job_journal import ExportJob, StoredFilter
from cdb_desktop.events.result import readable_events
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.full_pages import FullPages
from cdb_desktop.ui.events.browser.retries import patiently
from cdb_desktop.ui.events.browser.rows import number_of
from cdb_desktop.ui.events.browser.unfinished_work import note_name
from cdb_desktop.ui.events.export.csv_pages import CsvPages
from cdb_desktop.ui.events.export.export_dialog import ExportDialog
from cdb_desktop.ui.events.export.export_kinds import Kind, kinds_for
from cdb_desktop.ui.events.export.export_memory import export_folder
from cdb_desktop.ui.events.export.export_words import (
    cancelled_words,
    failure_words,
    progress_words,
    success_words,
    waiting_words,
)
from cdb_desktop.ui.events.export.picked_pages import PickedPages
from cdb_desktop.vocabulary.times import chosen_zone


class Exporting(QObject):
    """The way of a query to a file; several exports may run side by side.

    Signals: ``cut_short`` (ExportNote, Callable that says why) when one has failed that can be gone on with.
    """

    cut_short = Signal(object, object)

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._unfinished = context.unfinished
        self._folder = export_folder(self._view.settings)
        self._numbers = count(1)

    def begin(self, target: Path, options: CsvOptions) -> None:
        """Exports what is shown to ``target`` as CSV."""
        self.export(target, ExportOptions("csv", options))

    def export(self, target: Path, wish: ExportOptions, ids: Sequence[int] = ()) -> None:
        """Exports what is shown, or ``ids`` of it, to ``target``; goes on where the same was interrupted."""
        result = self._rows.result
        if result is None:
            return
        query = self._view.query
        asked = StoredFilter.of(query.at(datetime.now(UTC)).filter)
        chosen, home = StoredFilter.of(result.resolved_query.filter), self._unfinished.home
        total = len(ids) or result.total
        newest = result.newest
        self.go_on(ExportJob(home, str(target), wish, asked, chosen, total, newest, tuple(ids), query))

    def go_on(self, note: ExportJob) -> None:
        """Exports what ``note`` tells, from where that was interrupted."""
        name, target, wish = f"events.export.{next(self._numbers)}", Path(note.target), note.options
        asked, chosen = note.entered.event_filter, note.sent.event_filter

        def wait() -> None:
            self._tasks.show_progress(name, waiting_words(export.progress), None)

        async def counted() -> int | None:
            return await patiently(self._client, lambda: number_of(self._client, chosen), wait)

        export = Export(
            self._fetch(wish, chosen, note.ids, target.parent, wait),
            target,
            total=note.total,
            up_to=note.newest,
            export_format=export_format(wish, asked, target, note.ids),
            checkpoint=load_checkpoint(wish, asked, target, note.ids),
            count=None if note.ids else counted,
        )
        work = self._noted(self._run(name, export, wish, note), export, note)
        self._tasks.start(name, work, title=progress_words(export.progress))

    async def _noted(self, work: Coroutine[Any, Any, None], export: Export, note: ExportJob) -> None:
        """Does ``work`` with a note beside it, which stays as long as there is something to go on with."""
        held = self._unfinished.hold(note_name(export.target))
        held.write(note)
        try:
            await work
        finally:
            held.end(stays=export.is_part_kept)

    def _fetch(
        self,
        wish: ExportOptions,
        chosen: EventFilter,
        ids: Sequence[int],
        folder: Path,
        waits: Callable[[], None],
    ) -> FetchPage:
        if ids:
            picked = PickedPages(self._client, ids, waits)
            return picked.fetch if wish.uses_records else partial(picked.fetch_csv, wish.csv)
        if wish.uses_records:
            records = FullPages(self._client, chosen, waits=waits, short=not wish.uses_whole_records)
            return self._meeting(records.fetch)
        return CsvPages(self._client, chosen, wish.csv, folder, waits).fetch

    def _meeting(self, fetch: Callable[[int], Awaitable[Sequence[Record]]]) -> FetchPage:
        """What is read for a file also tells who has done it."""

        async def fetched(offset: int) -> Sequence[Record]:
            records = await fetch(offset)
            self._view.seen.add(readable_events(records))
            return records

        return fetched

    async def _run(self, name: str, export: Export, wish: ExportOptions, note: ExportJob) -> None:
        def tell(progress: ExportProgress) -> None:
            self._tasks.show_progress(name, progress_words(progress), progress.fraction)

        try:
            await export.run(tell)
            if wish.receipt:
                asked = ExportedQuery(
                    note.entered.event_filter, note.sent.event_filter, note.query, note.newest, len(note.ids)
                )
                told = asked, export.checkpoint, self._client.address, export.progress.cut
                await asyncio.to_thread(write_receipt, export.target, wish, *told)
        except asyncio.CancelledError:
            export.discard()
            self._view.notice.show_passing(partial(cancelled_words, export))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what is kept of the file is told
            # What is written is good as far as it goes, and another try begins there; but it is of no use
            # for a sheet that is too small for it.
            if not export.progress.rows or isinstance(error, TooManyRowsError):
                export.discard()
            say = partial(failure_words, export, error, self._words)
            if export.is_part_kept:
                self.cut_short.emit(note, say)
            else:
                self._view.notice.show_message("danger", say)
        else:
            receipt = receipt_path(export.target) if wish.receipt else None
            self._view.notice.show_done(partial(success_words, export, receipt), export.target)

    def ask(self) -> None:
        """Asks for a file to export to."""
        if self._rows.result is None or not self._rows.result.rows:
            self._view.count.tell(self.tr("There are no rows to export."))
            return
        kinds = kinds_for(self._rows.result.total, self._view.columns.shown, chosen_zone())
        dialog = ExportDialog(self._folder.path, kinds, self._view)
        dialog.setWindowTitle(self.tr("Export events, the columns on screen"))
        dialog.kind_chosen.connect(self._chosen)
        dialog.open()

    def _chosen(self, target: Path, kind: Kind) -> None:
        self._folder.keep(target)
        if kind.obstacle:
            told = self.tr("%1: %2.").replace("%1", kind.words).replace("%2", kind.obstacle)
            self._view.notice.show_notice("warning", self.tr("Not exported"), told)
        else:
            self.export(target, kind.wish)
