"""Fetches the whole records of the visible rows of a result."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events
from cdb_desktop.ui.widgets.event_table.row_details import RowDetails, Rows

_WORK = "events.details"
_MOST = PAGE_SIZE  # rows of a call


class BrowserDetails(RowDetails):
    """Details of a result, the next of which tries again what has failed."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view, context.tasks, _WORK)
        self._view, self._rows, self._client = context.view, context.rows, context.client
        self._result: QueryResult | None = None
        model, table = self._view.model, self._view.table
        for changed in (
            model.dataChanged,
            model.modelReset,
            model.rowsInserted,
            table.rows_shown,
            table.expanded.changed,
            self._view.columns.shown_changed,
            self._rows.shown,
        ):
            changed.connect(self._check)
        # Other rows are loaded, which have priority.
        self._rows.awaited.connect(self.stop)

    def lacking_rows(self) -> Rows:
        """The visible rows and a screen around them, or only expanded ones."""
        view, table, result = self._view, self._view.table, self._view.model.result
        if result is None or result is not self._rows.result or not view.isVisible():
            return {}
        if result is not self._result:
            self._result = result
            self.forget()
        first, last = table.visible_rows()
        visible = self._events(range(first, last + 1))
        if not (view.columns.are_detailed and self._rows.can_be_whole):
            return {row: event for row, event in visible.items() if table.expanded.is_open(event)}
        around = last - first + 1
        if not any(map(self.is_lacking, visible.values())):
            return {}
        return self._events(
            range(max(0, first - around), min(view.model.rowCount(), last + 1 + around))[:_MOST]
        )

    async def whole_events(self, rows: Rows) -> Iterable[Event]:
        """One page from the first row to the last."""
        if self._result is not None and self._rows.can_be_whole:
            first, last = min(rows), max(rows)
            return await self._rows.whole_events(self._result, first, last - first + 1)
        # A service before 5.140 lists short records only (§9 rule 2).
        return await whole_events(self._client, sorted(event.id for event in rows.values()))

    def show_details(self, events: Iterable[Event], rows: Rows) -> None:
        """Shows the whole records in the model."""
        self._view.model.show_details(events, min(rows), max(rows))

    def _check(self) -> None:
        # Not connected directly: signals have arguments.
        self.check()

    def _events(self, rows: range) -> dict[int, Event]:
        found = ((row, self._view.model.event_at(row)) for row in rows)
        return {row: event for row, event in found if event is not None}
