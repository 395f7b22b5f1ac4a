"""Opens the sheet of an export's options, has its first rows fetched, and asks for the file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import EventFilter, Record, Sort
from cdb_desktop.events.export.csv_page import CsvPageError
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.events.export.preview import preview_csv, preview_json_lines, preview_records
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.full_pages import FullPages
from cdb_desktop.ui.events.browser.selection import MOST_SELECTED, Stretch, number_of_rows, rows_of
from cdb_desktop.ui.events.export.export_memory import export_folder, keep_wish, kept_wish
from cdb_desktop.ui.events.export.export_sheet import ExportSheet
from cdb_desktop.ui.events.export.exporting import Exporting
from cdb_desktop.ui.events.export.picked_pages import PickedPages
from cdb_desktop.vocabulary.times import in_zone

_WORK, _PICK = "events.export.preview", "events.export.pick"
_ROWS = 20
_OLDEST_FIRST = (Sort("_id"),)


class ExportChoosing(QObject):
    """The way from the wish for a file to its export."""

    def __init__(self, context: BrowserContext, exporting: Exporting) -> None:
        super().__init__(context.view)
        self._context = context
        self._exporting = exporting
        self._folder = export_folder(context.view.settings)

    def open(self) -> None:
        """Opens the sheet."""
        view, result = self._context.view, self._context.rows.result
        titles = {column.name: column.title for column in view.columns.choices}
        shown = {name: titles[name] for name in view.columns.shown}
        sheet = ExportSheet(view.appearance, None if result is None else result.total, shown, view)
        sheet.preview_requested.connect(partial(self._preview, sheet))
        sheet.agreed.connect(partial(self._ask_file, sheet))
        sheet.finished.connect(self._stop)
        sheet.explain_requested.connect(view.notice.explain_requested)
        sheet.choose(kept_wish(view.settings, view.columns.shown))
        sheet.open()
        stretches = view.table.stretches
        if stretches:
            self._context.tasks.start(
                _PICK, self._offer(sheet, stretches), on_error=partial(self._failed, sheet)
            )

    async def _offer(self, sheet: ExportSheet, stretches: list[Stretch]) -> None:
        """The rows that are selected now, whatever becomes of the table meanwhile."""
        count = number_of_rows(stretches)
        events = await self._context.rows.events(rows_of(stretches)) if count <= MOST_SELECTED else []
        if events or count > MOST_SELECTED:
            sheet.offer_selected(len(events) or count, sorted(event.id for event in events))

    def _stop(self) -> None:
        self._context.tasks.cancel(_WORK)
        self._context.tasks.cancel(_PICK)

    def _preview(self, sheet: ExportSheet, wish: ExportOptions) -> None:
        self._context.tasks.start(_WORK, self._fetch(sheet, wish), on_error=partial(self._failed, sheet))

    async def _fetch(self, sheet: ExportSheet, wish: ExportOptions) -> None:
        result = self._context.rows.result
        if result is None:
            return
        client, chosen, ids = self._context.client, result.resolved_query.filter, sheet.ids[:_ROWS]
        if wish.file_format == "jsonl":
            sheet.show_lines(preview_json_lines(await self._records(wish, chosen, ids)))
        elif wish.columns:
            sheet.show_preview(preview_records(wish, await self._records(wish, chosen, ids)))
        elif ids:
            picked = PickedPages(client, ids)
            sheet.show_preview(preview_csv(wish, await picked.fetch_csv(wish.csv, 0)))
        else:
            page = await client.list_csv(chosen, wish.csv, sort=_OLDEST_FIRST, limit=_ROWS)
            sheet.show_preview(preview_csv(wish, page))

    async def _records(
        self, wish: ExportOptions, chosen: EventFilter, ids: Sequence[int]
    ) -> Sequence[Record]:
        if ids:
            return await PickedPages(self._context.client, ids).fetch(0)
        pages = FullPages(self._context.client, chosen, short=not wish.uses_whole_records)
        return await pages.fetch_first(_ROWS)

    def _failed(self, sheet: ExportSheet, error: Exception) -> None:
        if isinstance(error, CsvPageError):
            sheet.show_fault(self.tr("The rows cannot be read back with these options."))
        else:
            sheet.show_failure(self._context.words(error))

    def _ask_file(self, sheet: ExportSheet, wish: ExportOptions) -> None:
        view = self._context.view
        keep_wish(view.settings, replace(wish, columns=sheet.chosen_columns))
        dialog = QFileDialog(view, self.tr("Export events"), self._folder.path)
        dialog.setObjectName("events.export.dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        kinds: dict[FileFormat, str] = {
            "csv": self.tr("CSV (*.csv)"),
            "jsonl": self.tr("JSON lines (*.jsonl)"),
            "xlsx": self.tr("XLSX (*.xlsx)"),
            "parquet": self.tr("Parquet (*.parquet)"),
        }
        dialog.setNameFilter(kinds[wish.file_format])
        dialog.setDefaultSuffix(wish.file_format)
        dialog.selectFile(f"events {in_zone(datetime.now(UTC)):%Y-%m-%d}.{wish.file_format}")
        dialog.fileSelected.connect(partial(self._begin, wish, sheet.ids))
        dialog.open()

    def _begin(self, wish: ExportOptions, ids: Sequence[int], path: str) -> None:
        target = Path(path)
        self._folder.keep(target)
        self._exporting.export(target, wish, ids)
