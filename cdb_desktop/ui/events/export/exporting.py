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
from cdb_desktop.events.export import Export, Fetch, Progress, TooManyRowsError
from cdb_desktop.events.export_wish import Wish, kept_of, shape_of
from cdb_desktop.events.parting import events_of
from cdb_desktop.events.receipt import Asked, receipt_file, write_receipt
from cdb_desktop.events.unfinished import ExportNote, KeptFilter
from cdb_desktop.ui.events.browser.full_pages import FullPages
from cdb_desktop.ui.events.browser.means import Means
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

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client, self._rows = means.view, means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._unfinished = means.unfinished
        self._folder = export_folder(self._view.settings)
        self._numbers = count(1)
        self._view.export_requested.connect(self._ask)

    def begin(self, target: Path, options: CsvOptions) -> None:
        """Exports what is shown to ``target`` as CSV."""
        self.export(target, Wish("csv", options))

    def export(self, target: Path, wish: Wish, ids: Sequence[int] = ()) -> None:
        """Exports what is shown, or ``ids`` of it, to ``target``; goes on where the same was interrupted."""
        result = self._rows.result
        if result is None:
            return
        query = self._view.editing.query
        asked = KeptFilter.of(query.at(datetime.now(UTC)).filter)
        chosen, home = KeptFilter.of(result.listing.filter), self._unfinished.home
        total = len(ids) or result.total
        newest = result.newest
        self.go_on(ExportNote(home, str(target), wish, asked, chosen, total, newest, tuple(ids), query))

    def go_on(self, note: ExportNote) -> None:
        """Exports what ``note`` tells, from where that was interrupted."""
        name, target, wish = f"events.export.{next(self._numbers)}", Path(note.target), note.wish
        asked, chosen = note.asked.asked, note.chosen.asked

        def wait() -> None:
            self._tasks.show_progress(name, waiting_words(export.progress), None)

        async def counted() -> int | None:
            return await patiently(self._client, lambda: number_of(self._client, chosen), wait)

        export = Export(
            self._fetch(wish, chosen, note.ids, target.parent, wait),
            target,
            total=note.total,
            up_to=note.newest,
            shape=shape_of(wish, asked, target, note.ids),
            kept=kept_of(wish, asked, target, note.ids),
            count=None if note.ids else counted,
        )
        work = self._noted(self._run(name, export, wish, note), export, note)
        self._tasks.start(name, work, title=progress_words(export.progress))

    async def _noted(self, work: Coroutine[Any, Any, None], export: Export, note: ExportNote) -> None:
        """Does ``work`` with a note beside it, which stays as long as there is something to go on with."""
        held = self._unfinished.hold(note_name(export.target))
        held.write(note)
        try:
            await work
        finally:
            held.end(stays=export.is_part_kept)

    def _fetch(
        self, wish: Wish, chosen: EventFilter, ids: Sequence[int], folder: Path, waits: Callable[[], None]
    ) -> Fetch:
        if ids:
            picked = PickedPages(self._client, ids, waits)
            return picked.fetch if wish.takes_records else partial(picked.fetch_csv, wish.options)
        if wish.takes_records:
            records = FullPages(self._client, chosen, waits=waits, short=not wish.takes_whole)
            return self._meeting(records.fetch)
        return CsvPages(self._client, chosen, wish.options, folder, waits).fetch

    def _meeting(self, fetch: Callable[[int], Awaitable[Sequence[Record]]]) -> Fetch:
        """What is read for a file also tells who has done it."""

        async def fetched(offset: int) -> Sequence[Record]:
            records = await fetch(offset)
            self._view.editing.seen.add(events_of(records))
            return records

        return fetched

    async def _run(self, name: str, export: Export, wish: Wish, note: ExportNote) -> None:
        def tell(progress: Progress) -> None:
            self._tasks.show_progress(name, progress_words(progress), progress.part)

        try:
            await export.run(tell)
            if wish.receipt:
                asked = Asked(note.asked.asked, note.chosen.asked, note.query, note.newest, len(note.ids))
                told = asked, export.kept, self._client.address, export.progress.cut
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
                self._view.notice.show_words("danger", say)
        else:
            receipt = receipt_file(export.target) if wish.receipt else None
            self._view.notice.show_done(partial(success_words, export, receipt), export.target)

    def _ask(self) -> None:
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
