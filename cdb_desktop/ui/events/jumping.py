"""Goes to an event, a row or a time that somebody has asked for, also where the row has to be found first."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtCore import QLocale, QObject

from cdb_desktop.client import NotFoundError, Sort
from cdb_desktop.events.pages import Result
from cdb_desktop.events.record import details
from cdb_desktop.events.seek import row_of_id
from cdb_desktop.ui.events.jump_popup import Goal, JumpPopup
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.probe import event_in
from cdb_desktop.ui.events.time_jump import TimeJump
from cdb_desktop.ui.events.way import Way

_WORK = "events.jump"


class Jumping(QObject):
    """Where the order is by id the row is looked for, elsewhere the record is shown beside the rows."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client, self._rows = means.view, means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._to_time = TimeJump(means)
        self._view.jump_requested.connect(self.open)

    def open(self) -> None:
        """Asks where to go; the sheet stays until this is reached or given up."""
        view = self._view
        sheet = JumpPopup(view.appearance, view.model.rowCount(), view.editing.query.order, view)
        sheet.go_requested.connect(partial(self._jump, sheet))
        sheet.stop_requested.connect(self._stop)
        sheet.open_below(view.filters)

    def go_to_event(self, number: int) -> None:
        """Goes to the event with this id."""
        self._go_to_event(number, Way(self._view.count.tell))

    def _jump(self, sheet: JumpPopup) -> None:
        value, way = sheet.value, Way(sheet.refuse, partial(self._arrive, sheet), sheet.stop)
        if value is None:
            way.arrive()
        elif not isinstance(value, int):
            self._to_time.go_to(value, way)
        elif sheet.goal is Goal.ROW:
            self._view.table.go_to(value - 1)
            way.arrive()
        else:
            self._go_to_event(value, way)

    def _arrive(self, sheet: JumpPopup) -> None:
        sheet.arrive()
        self._view.table.setFocus()

    def _stop(self) -> None:
        self._to_time.forget()
        self._tasks.cancel(_WORK)

    def _go_to_event(self, number: int, way: Way) -> None:
        result = self._rows.result
        known = None if result is None else result.row_of(number)
        if result is None:
            way.arrive()
        elif known is not None:
            self._view.table.go_to(known)
            way.arrive()
        else:
            title = self.tr("Looking for event %1").replace("%1", QLocale().toString(number))
            failed = partial(self._failed, way)
            self._tasks.start(_WORK, self._seek(result, number, way), title=title, on_error=failed)

    async def _seek(self, result: Result, number: int, way: Way) -> None:
        order = result.listing.order[0]
        try:
            if order.field == "_id":
                await self._seek_row(result, number, order)
            else:
                await self._show_record(number)
        except NotFoundError:
            way.refuse(self.tr("There is no such event (any more)."))
        except asyncio.CancelledError:
            way.stop()
            raise
        else:
            way.arrive()

    async def _seek_row(self, result: Result, number: int, order: Sort) -> None:
        async def probe(row: int) -> int | None:
            found = await event_in(self._client, result, row)
            return None if found is None else found[1].id

        row = await row_of_id(probe, result.rows, number, descending=order.descending)
        found = await event_in(self._client, result, row)
        is_elsewhere = found is None or found[1].id != number
        if found is not None and not is_elsewhere:
            row = found[0]
        else:
            await self._client.event(number)  # what is nowhere has no place among the rows either
        self._view.table.go_to(row)
        if is_elsewhere:
            told = self.tr("Event %1 is not among these rows; this is where it would stand.")
            self._view.count.tell(told.replace("%1", QLocale().toString(number)))

    async def _show_record(self, number: int) -> None:
        event = await self._client.event(number)
        self._view.commands.open_inspector()
        self._view.inspector.show_details(details(event, is_whole=True))
        self._view.count.tell(
            self.tr("In this order only the service could tell the row; here is the record.")
        )

    def _failed(self, way: Way, error: Exception) -> None:
        way.refuse(self._words(error).title)
