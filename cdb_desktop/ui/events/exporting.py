"""Asks for a file and writes the query that is shown to it, telling how it goes; can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Client, CsvOptions
from cdb_desktop.events.export import Export, Progress
from cdb_desktop.ui.events.csv_pages import CsvPages
from cdb_desktop.ui.events.export_words import failure_words, progress_words, success_words, waiting_words
from cdb_desktop.ui.events.rows import Rows
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_WHOLE = 0  # characters of a cell; the service would trim at 100 (§8)


class Exporting(QObject):
    """The way of a query to a file; several exports may run side by side."""

    def __init__(
        self,
        view: EventsView,
        client: Client,
        rows: Rows,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._client = client
        self._rows = rows
        self._tasks = tasks
        self._words = words
        self._folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        self._numbers = count(1)
        view.export_requested.connect(self._ask)

    def begin(self, target: Path, options: CsvOptions) -> None:
        """Exports what is shown to ``target``."""
        result = self._rows.result
        if result is None:
            return
        name = f"events.export.{next(self._numbers)}"
        pages = CsvPages(self._client, result.listing.filter, options)
        export = Export(
            pages.fetch, target, delimiter=options.delimiter, total=result.total, up_to=result.newest
        )
        pages.waits = lambda: self._tasks.show_progress(name, waiting_words(export.progress), None)
        self._tasks.start(name, self._run(name, export), title=progress_words(export.progress))

    async def _run(self, name: str, export: Export) -> None:
        def tell(progress: Progress) -> None:
            self._tasks.show_progress(name, progress_words(progress), progress.part)

        try:
            await export.run(tell)
        except asyncio.CancelledError:
            export.discard()
            self._view.count.tell(self.tr("Export cancelled"))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it was, what is kept of the file is told
            if isinstance(error, OSError) or not export.progress.rows:
                export.discard()
            self._view.notice.show_failure(failure_words(export, error, self._words))
        else:
            said = success_words(export)
            self._view.notice.show_notice("accent", said.title, said.text)

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
        dialog.selectFile(f"events {datetime.now(UTC).astimezone():%Y-%m-%d}.csv")
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
