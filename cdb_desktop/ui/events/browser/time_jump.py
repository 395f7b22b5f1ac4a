"""Goes to the first event at or after a time; rows in an order that knows no times are sorted anew."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject

from cdb_desktop.client import EventFilter, Sort
from cdb_desktop.events.query import is_time_order
from cdb_desktop.events.result import QueryResult
from cdb_desktop.events.row_lookup import find_row
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.probe import event_in
from cdb_desktop.ui.events.browser.way import Way
from cdb_desktop.vocabulary.times import day_and_time

_WORK = "events.jump"


class TimeJump(QObject):
    """What is wanted waits for the rows in the order that it takes; other rows in between forget it."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._wanted: tuple[datetime, Way] | None = None
        self._rows.shown.connect(self._go_on)

    def go_to(self, moment: datetime, way: Way) -> None:
        """Goes to the first event at or after ``moment``, whatever the order of the rows."""
        result = self._rows.result
        if result is None:
            way.arrive()
        elif is_time_order(result.resolved_query.order):
            self._start(result, moment, way)
        else:
            self._wanted = moment, way
            self._view.query_requested.emit(replace(self._view.query, sort=()))

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self._wanted = None

    def _go_on(self, result: QueryResult | None) -> None:
        if self._wanted is None:
            return
        (moment, way), self._wanted = self._wanted, None
        if result is not None and is_time_order(result.resolved_query.order):
            self._start(result, moment, way, is_sorted_anew=True)
        else:
            # There are no rows, and the page says why; or others than those that were asked for.
            way.arrive()

    def _start(
        self, result: QueryResult, moment: datetime, way: Way, *, is_sorted_anew: bool = False
    ) -> None:
        title = self.tr("Looking for %1").replace("%1", day_and_time(moment))
        work = self._seek(result, moment, way, is_sorted_anew=is_sorted_anew)
        self._tasks.start(_WORK, work, title=title, on_error=partial(self._failed, way))

    async def _seek(self, result: QueryResult, moment: datetime, way: Way, *, is_sorted_anew: bool) -> None:
        try:
            row = await self._row(result, moment)
        except asyncio.CancelledError:
            way.stop()
            raise
        way.arrive()
        if result is self._rows.result:
            descending = result.resolved_query.order[0].descending
            newest = 0 if descending else result.rows - 1
            self._view.table.go_to(newest if row is None else row)
            self._tell(moment, row, is_sorted_anew=is_sorted_anew)

    async def _row(self, result: QueryResult, moment: datetime) -> int | None:
        """The row of the first event at or after ``moment``, None where all are earlier."""
        order = result.resolved_query.order[0]
        chosen = result.resolved_query.filter
        later = _from(chosen, moment)
        ascending = (Sort(order.field),)
        found = await self._client.list_events(later, sort=ascending, limit=1) if later else None
        await self._count(result)
        if found is None or not found.records or found.count is None:
            return None
        row = found.count - 1 if order.descending else result.rows - found.count
        if order.field != "_id" or not found.events:
            return row
        # A clock that was set back lets times and ids disagree: then ids, which are the order here, decide.
        wanted = found.events[0].id
        if await self._id(result, row) == wanted:
            return row
        return await find_row(
            lambda row: self._id(result, row), result.rows, wanted, descending=order.descending
        )

    async def _id(self, result: QueryResult, row: int) -> int | None:
        found = await event_in(self._client, result, row)
        return None if found is None else found[1].id

    async def _count(self, result: QueryResult) -> None:
        """The row may lie beyond those that are known so far."""
        if result.total is None:
            result.set_count((await self._client.list_events(result.resolved_query.filter, limit=1)).count)
            self._view.show_count()

    def _tell(self, moment: datetime, row: int | None, *, is_sorted_anew: bool) -> None:
        if row is None:
            told = self.tr("There are no events at or after %1; this is the newest.")
        else:
            told = self.tr("Row %2: the first from %1 on.").replace("%2", number_text(row + 1))
        told = told.replace("%1", day_and_time(moment))
        anew = self.tr("Newest first now, Alt+Left goes back.")
        self._view.count.tell(f"{told} {anew}" if is_sorted_anew else told)

    def _failed(self, way: Way, error: Exception) -> None:
        way.refuse(self._words(error).title)


def _from(chosen: EventFilter, moment: datetime) -> EventFilter | None:
    """What of a filter lies at or after ``moment``, None for nothing."""
    first, last = chosen.date_from, chosen.date_to
    if isinstance(last, datetime) and last < moment:
        return None
    if isinstance(first, datetime) and first > moment:
        return chosen
    return replace(chosen, date_from=moment)
