"""Compares two events: fetches their records and opens the dialog."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from cdb_desktop.client import Event
from cdb_desktop.events.result import readable_events
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events
from cdb_desktop.ui.events.browser.table import number_of_rows, rows_of
from cdb_desktop.ui.events.compare.dialog import CompareDialog

_WORK = "events.compare"


class CompareController(QObject):
    """Compares rows of the table, or any two events."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def compare(self) -> None:
        """Compares the two selected rows, or the selected one with the one below it."""
        table = self._context.view.table
        stretches = table.stretches
        rows = list(rows_of(stretches)) if number_of_rows(stretches) == 2 else []
        if number_of_rows(stretches) == 1:
            row = next(rows_of(stretches))
            rows = [row, row + 1] if row + 1 < self._context.view.model.rowCount() else []
        if rows:
            self._context.tasks.start(_WORK, self._show(rows), on_error=self._failed)
        else:
            self._context.view.count.tell(tr("Select two events to compare."))

    def compare_events(self, events: Sequence[Event]) -> None:
        """Compares two events."""
        ids = sorted(event.id for event in events)
        self._context.tasks.start(_WORK, self._show_whole(ids), on_error=self._failed)

    async def _show(self, rows: list[int]) -> None:
        records = await self._context.rows.records(rows)
        short = readable_events(records)
        if len(short) < len(records):
            self._context.view.count.tell(tr("A record that could not be read cannot be compared."))
            return
        # The older one is at the left, whatever the order of the rows.
        await self._show_whole(sorted(event.id for event in short))

    async def _show_whole(self, ids: Sequence[int]) -> None:
        whole = await whole_events(self._context.client, ids)
        self._context.view.end_trouble(_WORK)
        if len(whole) == 2:
            left, right = whole
            CompareDialog(self._context.view.appearance, left, right, self._context.view).open()
        else:
            self._context.view.count.tell(tr("One of them has been deleted."))

    def _failed(self, error: Exception) -> None:
        self._context.view.show_trouble(_WORK, partial(self._context.words, error))
