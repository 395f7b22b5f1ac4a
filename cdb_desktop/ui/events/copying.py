"""Copies the selected rows, fetching those that are not here yet."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QObject

from cdb_desktop.events.copy_forms import CopyForm
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.selection import number_of_rows, rows_of

_WORK = "events.copy"
_MOST = 10_000  # rows: more are no matter for a clipboard


class Copying(QObject):
    """The way of rows to the clipboard."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._rows, self._tasks = means.view, means.rows, means.tasks
        self._view.copy_requested.connect(self._copy)

    def _copy(self, form: CopyForm) -> None:
        count = number_of_rows(self._view.table.stretches)
        if count > _MOST:
            told = self.tr("More than %1 rows are not copied. Export them instead (Ctrl+E).")
            self._view.count.tell(told.replace("%1", QLocale().toString(_MOST)))
        elif count:
            self._tasks.start(_WORK, self._fetch(form), title=self.tr("Copying rows"))

    async def _fetch(self, form: CopyForm) -> None:
        records = await self._rows.records(rows_of(self._view.table.stretches))
        self._view.table.copy_records(records, form)
        self._view.count.tell(self.tr("Copied rows: %1").replace("%1", QLocale().toString(len(records))))
