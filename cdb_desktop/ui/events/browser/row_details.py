"""Fetches the whole records of the visible rows for columns that show more of them, such as the summary.

The rows themselves are short records (wire §3): whole ones have twice the size in our server and many times
that in services that store documents in events. Only what is visible is fetched, in one call.
"""

from __future__ import annotations

import asyncio
import logging

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import ClientError, Event
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events

_WORK = "events.details"
_SOON = 20  # milliseconds, in which pages, scrolling and new columns are collected
_MOST = PAGE_SIZE  # rows of a call
_log = logging.getLogger(__name__)


class RowDetails(QObject):
    """Fetches what visible rows lack, once for each row of a result.

    Rows without their details stay as they are: a failure is logged, and the next result tries again.
    """

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._rows, self._tasks = context.view, context.rows, context.tasks
        self._client = context.client
        self._result: QueryResult | None = None
        self._tried: set[int] = set()  # ids
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._soon.timeout.connect(self._fetch_visible)
        model, table = self._view.model, self._view.table
        for changed in (
            model.dataChanged,
            model.modelReset,
            model.rowsInserted,
            table.rows_shown,
            table.expanded.changed,
            self._view.columns.shown_changed,
        ):
            changed.connect(self._wait)
        self._rows.shown.connect(self._wait)
        self._rows.awaited.connect(self._stop)

    def _wait(self) -> None:
        # Not connected directly: start() would take the argument of a signal as its interval.
        self._soon.start()

    def _stop(self) -> None:
        """Other rows are loaded, which have priority."""
        self._soon.stop()
        self._tasks.cancel(_WORK)

    def _fetch_visible(self) -> None:
        view, result = self._view, self._view.model.result
        if result is None or result is not self._rows.result or not view.isVisible():
            return
        if result is not self._result:
            self._result, self._tried = result, set()
        lacking = self._lacking_rows()
        if lacking and not self._tasks.is_running(_WORK):
            self._tasks.start(_WORK, self._fetch(result, lacking))

    def _lacking_rows(self) -> dict[int, Event]:
        """The rows that lack details: the visible ones and a screen around them, or only expanded ones."""
        table, model = self._view.table, self._view.model
        first, last = table.visible_rows()
        visible = self._short_rows(range(first, last + 1))
        if not (self._view.columns.are_detailed and self._rows.can_be_whole):
            return {row: event for row, event in visible.items() if table.expanded.is_open(event)}
        if not visible:
            return {}
        around = last - first + 1
        nearby = range(max(0, first - around), min(model.rowCount(), last + 1 + around))
        return self._short_rows(nearby[:_MOST])

    def _short_rows(self, rows: range) -> dict[int, Event]:
        found = ((row, self._view.model.event_at(row)) for row in rows)
        return {
            row: event
            for row, event in found
            if event is not None and event.info is None and event.id not in self._tried
        }

    async def _fetch(self, result: QueryResult, lacking: dict[int, Event]) -> None:
        ids = {event.id for event in lacking.values()}
        self._tried |= ids
        try:
            if self._rows.can_be_whole:
                first, last = min(lacking), max(lacking)
                found = await self._rows.whole_events(result, first, last - first + 1)
            else:
                # A service before 5.140 lists short records only (§9 rule 2).
                found = await whole_events(self._client, sorted(ids))
        except asyncio.CancelledError:
            self._tried -= ids
            raise
        except ClientError as error:
            _log.info("details of rows were not fetched: %s", error)
            return
        self._view.model.show_details(found, min(lacking), max(lacking))
