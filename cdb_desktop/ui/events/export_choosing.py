"""Opens the sheet of an export's options, has its first rows fetched, and asks for the file."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Sort
from cdb_desktop.events.export_wish import Form, Wish
from cdb_desktop.events.preview import preview_of
from cdb_desktop.events.sheet import SheetError
from cdb_desktop.ui.events.export_sheet import ExportSheet
from cdb_desktop.ui.events.exporting import Exporting
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.widgets.folders import documents
from cdb_desktop.vocabulary.times import in_zone

_WORK = "events.export.preview"
_ROWS = 20


class ExportChoosing(QObject):
    """The way from the wish for a file to its export."""

    def __init__(self, means: Means, exporting: Exporting) -> None:
        super().__init__(means.view)
        self._means = means
        self._exporting = exporting
        self._folder = documents()

    def open(self) -> None:
        """Opens the sheet."""
        view, result = self._means.view, self._means.rows.result
        sheet = ExportSheet(view.appearance, None if result is None else result.total, view)
        sheet.preview_requested.connect(partial(self._preview, sheet))
        sheet.agreed.connect(self._ask_file)
        sheet.finished.connect(self._stop)
        sheet.explain_requested.connect(view.notice.explain_requested)
        sheet.open()

    def _stop(self) -> None:
        self._means.tasks.cancel(_WORK)

    def _preview(self, sheet: ExportSheet, wish: Wish) -> None:
        self._means.tasks.start(_WORK, self._fetch(sheet, wish), on_error=partial(self._failed, sheet))

    async def _fetch(self, sheet: ExportSheet, wish: Wish) -> None:
        result = self._means.rows.result
        if result is None:
            return
        page = await self._means.client.list_csv(
            result.listing.filter, wish.options, sort=(Sort("_id"),), limit=_ROWS
        )
        sheet.show_preview(preview_of(wish, page))

    def _failed(self, sheet: ExportSheet, error: Exception) -> None:
        if isinstance(error, SheetError):
            sheet.show_fault(self.tr("The rows cannot be read back with these options."))
        else:
            sheet.show_failure(self._means.words(error))

    def _ask_file(self, wish: Wish) -> None:
        view = self._means.view
        dialog = QFileDialog(view, self.tr("Export events"), self._folder)
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
        dialog.fileSelected.connect(lambda path: self._begin(Path(path), wish))
        dialog.open()

    def _begin(self, target: Path, wish: Wish) -> None:
        self._folder = str(target.parent)
        self._exporting.export(target, wish)
