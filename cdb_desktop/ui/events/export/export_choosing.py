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
from cdb_desktop.events.export_wish import Form, Wish
from cdb_desktop.events.preview import first_lines, preview_of, preview_of_records
from cdb_desktop.events.sheet import SheetError
from cdb_desktop.ui.events.browser.full_pages import FullPages
from cdb_desktop.ui.events.browser.means import Means
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

    def __init__(self, means: Means, exporting: Exporting) -> None:
        super().__init__(means.view)
        self._means = means
        self._exporting = exporting
        self._folder = export_folder(means.view.settings)

    def open(self) -> None:
        """Opens the sheet."""
        view, result = self._means.view, self._means.rows.result
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
            self._means.tasks.start(
                _PICK, self._offer(sheet, stretches), on_error=partial(self._failed, sheet)
            )

    async def _offer(self, sheet: ExportSheet, stretches: list[Stretch]) -> None:
        """The rows that are selected now, whatever becomes of the table meanwhile."""
        count = number_of_rows(stretches)
        events = await self._means.rows.events(rows_of(stretches)) if count <= MOST_SELECTED else []
        if events or count > MOST_SELECTED:
            sheet.offer_selected(len(events) or count, sorted(event.id for event in events))

    def _stop(self) -> None:
        self._means.tasks.cancel(_WORK)
        self._means.tasks.cancel(_PICK)

    def _preview(self, sheet: ExportSheet, wish: Wish) -> None:
        self._means.tasks.start(_WORK, self._fetch(sheet, wish), on_error=partial(self._failed, sheet))

    async def _fetch(self, sheet: ExportSheet, wish: Wish) -> None:
        result = self._means.rows.result
        if result is None:
            return
        client, chosen, ids = self._means.client, result.listing.filter, sheet.ids[:_ROWS]
        if wish.form == "jsonl":
            sheet.show_lines(first_lines(await self._records(wish, chosen, ids)))
        elif wish.columns:
            sheet.show_preview(preview_of_records(wish, await self._records(wish, chosen, ids)))
        elif ids:
            picked = PickedPages(client, ids)
            sheet.show_preview(preview_of(wish, await picked.fetch_csv(wish.options, 0)))
        else:
            page = await client.list_csv(chosen, wish.options, sort=_OLDEST_FIRST, limit=_ROWS)
            sheet.show_preview(preview_of(wish, page))

    async def _records(self, wish: Wish, chosen: EventFilter, ids: Sequence[int]) -> Sequence[Record]:
        if ids:
            return await PickedPages(self._means.client, ids).fetch(0)
        pages = FullPages(self._means.client, chosen, short=not wish.takes_whole)
        return await pages.fetch_first(_ROWS)

    def _failed(self, sheet: ExportSheet, error: Exception) -> None:
        if isinstance(error, SheetError):
            sheet.show_fault(self.tr("The rows cannot be read back with these options."))
        else:
            sheet.show_failure(self._means.words(error))

    def _ask_file(self, sheet: ExportSheet, wish: Wish) -> None:
        view = self._means.view
        keep_wish(view.settings, replace(wish, columns=sheet.chosen_columns))
        dialog = QFileDialog(view, self.tr("Export events"), self._folder.path)
        dialog.setObjectName("events.export.dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        kinds: dict[Form, str] = {
            "csv": self.tr("CSV (*.csv)"),
            "jsonl": self.tr("JSON lines (*.jsonl)"),
            "xlsx": self.tr("XLSX (*.xlsx)"),
            "parquet": self.tr("Parquet (*.parquet)"),
        }
        dialog.setNameFilter(kinds[wish.form])
        dialog.setDefaultSuffix(wish.form)
        dialog.selectFile(f"events {in_zone(datetime.now(UTC)):%Y-%m-%d}.{wish.form}")
        dialog.fileSelected.connect(partial(self._begin, wish, sheet.ids))
        dialog.open()

    def _begin(self, wish: Wish, ids: Sequence[int], path: str) -> None:
        target = Path(path)
        self._folder.keep(target)
        self._exporting.export(target, wish, ids)
