"""Fetches the two selected events and shows them side by side."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cdb_desktop.ui.events.compare_sheet import CompareSheet
from cdb_desktop.ui.events.full_pages import whole_events
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.selection import number_of_rows, rows_of

_WORK = "events.compare"
_TWO = 2


class Comparing(QObject):
    """The way of two rows to a comparison."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._means = means

    def compare(self) -> None:
        """Compares the two selected events, or the chosen one with the one before it."""
        table = self._means.view.table
        stretches = table.stretches
        rows = list(rows_of(stretches)) if number_of_rows(stretches) == _TWO else []
        if number_of_rows(stretches) == 1:
            row = next(rows_of(stretches))
            rows = [row, row + 1] if row + 1 < self._means.view.model.rowCount() else []
        if rows:
            self._means.tasks.start(_WORK, self._show(rows), on_error=self._failed)
        else:
            self._means.view.count.tell(self.tr("Select two events to compare."))

    async def _show(self, rows: list[int]) -> None:
        short = await self._means.rows.events(rows)
        # The older one stands at the left, whatever the order of the rows.
        whole = await whole_events(self._means.client, sorted(event.id for event in short))
        if len(whole) == _TWO:
            left, right = whole
            CompareSheet(self._means.view.appearance, left, right, self._means.view).open()
        else:
            self._means.view.count.tell(self.tr("One of them has been deleted."))

    def _failed(self, error: Exception) -> None:
        self._means.view.notice.show_failure(self._means.words(error))
