"""Asks for a file and writes the query that is shown to it, telling how it goes; can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import CsvOptions, EventFilter
from cdb_desktop.events.export import Export, Fetch, Progress, TooManyRowsError
from cdb_desktop.events.export_wish import Wish, kept_of, shape_of
from cdb_desktop.events.receipt import receipt_file, write_receipt
from cdb_desktop.ui.events.csv_pages import CsvPages
from cdb_desktop.ui.events.export_words import failure_words, progress_words, success_words, waiting_words
from cdb_desktop.ui.events.full_pages import FullPages
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.widgets.folders import documents
from cdb_desktop.vocabulary.times import in_zone

_WHOLE = 0  # characters of a cell; the service would trim at 100 (§8)


class Exporting(QObject):
    """The way of a query to a file; several exports may run side by side."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client, self._rows = means.view, means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._folder = documents()
        self._numbers = count(1)
        self._view.export_requested.connect(self._ask)

    def begin(self, target: Path, options: CsvOptions) -> None:
        """Exports what is shown to ``target`` as CSV."""
        self.export(target, Wish("csv", options))

    def export(self, target: Path, wish: Wish) -> None:
        """Exports what is shown to ``target``; goes on where the same was interrupted."""
        result = self._rows.result
        if result is None:
            return
        name, chosen = f"events.export.{next(self._numbers)}", result.listing.filter
        asked = self._view.editing.query.at(datetime.now(UTC)).filter
        export = Export(
            self._fetch(wish, chosen, lambda: self._wait(name, export)),
            target,
            total=result.total,
            up_to=result.newest,
            shape=shape_of(wish, asked, target),
            kept=kept_of(wish, asked, target),
        )
        self._tasks.start(name, self._run(name, export, wish, chosen), title=progress_words(export.progress))

    def _fetch(self, wish: Wish, chosen: EventFilter, waits: Callable[[], None]) -> Fetch:
        if wish.form == "jsonl":
            return FullPages(self._client, chosen, waits=waits).fetch
        pages = CsvPages(self._client, chosen, wish.options)
        pages.waits = waits
        return pages.fetch

    def _wait(self, name: str, export: Export) -> None:
        self._tasks.show_progress(name, waiting_words(export.progress), None)

    async def _run(self, name: str, export: Export, wish: Wish, chosen: EventFilter) -> None:
        def tell(progress: Progress) -> None:
            self._tasks.show_progress(name, progress_words(progress), progress.part)

        try:
            await export.run(tell)
            if wish.receipt:
                address = self._client.address
                cut = export.progress.cut
                await asyncio.to_thread(write_receipt, export.target, wish, chosen, export.kept, address, cut)
        except asyncio.CancelledError:
            export.discard()
            self._view.count.tell(self.tr("Export cancelled"))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what is kept of the file is told
            # What is written is good as far as it goes, and another try begins there; but it is of no use
            # for a sheet that is too small for it.
            if not export.progress.rows or isinstance(error, TooManyRowsError):
                export.discard()
            self._view.notice.show_words("danger", partial(failure_words, export, error, self._words))
        else:
            receipt = receipt_file(export.target) if wish.receipt else None
            self._view.notice.show_words("accent", partial(success_words, export, receipt))

    def _ask(self) -> None:
        if self._rows.result is None or not self._rows.result.rows:
            self._view.count.tell(self.tr("There are no rows to export."))
            return
        dialog = QFileDialog(self._view, self.tr("Export events as CSV"), self._folder)
        dialog.setObjectName("events.export.dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        kinds = self._kinds()
        dialog.setNameFilters(list(kinds))
        dialog.setDefaultSuffix("csv")
        dialog.selectFile(f"events {in_zone(datetime.now(UTC)):%Y-%m-%d}.csv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._chosen(path, kinds[dialog.selectedNameFilter()]))
        dialog.open()

    def _kinds(self) -> Mapping[str, CsvOptions]:
        return {
            self.tr("CSV, separated by commas (*.csv)"): CsvOptions(max_length=_WHOLE),
            self.tr("CSV, with a byte order mark for spreadsheets (*.csv)"): CsvOptions(
                max_length=_WHOLE, use_bom=True
            ),
            self.tr("CSV, separated by semicolons (*.csv)"): CsvOptions(
                max_length=_WHOLE, delimiter=";", use_bom=True
            ),
            self.tr("Separated by tabs (*.tsv *.csv)"): CsvOptions(max_length=_WHOLE, delimiter="\t"),
        }

    def _chosen(self, path: str, options: CsvOptions) -> None:
        self._folder = str(Path(path).parent)
        self.begin(Path(path), options)
