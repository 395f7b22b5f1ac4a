"""Goes to an event, a row or a time that somebody has asked for, also where the row has to be found first."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QLocale, QObject

from cdb_desktop.client import NotFoundError, Sort
from cdb_desktop.events.pages import Result
from cdb_desktop.events.record import details
from cdb_desktop.events.seek import row_of_id
from cdb_desktop.ui.events.jump_popup import Goal
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.probe import event_in
from cdb_desktop.ui.events.time_jump import TimeJump

_WORK = "events.jump"
Refuse = Callable[[int, str], None]  # takes the id that led nowhere, and why


class Jumping(QObject):
    """Where the order is by id the row is looked for, elsewhere the record is shown beside the rows."""

    def __init__(self, means: Means) -> None:
        super().__init__(means.view)
        self._view, self._client, self._rows = means.view, means.client, means.rows
        self._tasks, self._words = means.tasks, means.words
        self._to_time = TimeJump(means)
        self._view.jump_requested.connect(self._jump)

    def _jump(self, goal: Goal, value: int | datetime) -> None:
        if isinstance(value, datetime):
            self._to_time.go_to(value)
        elif goal is Goal.ROW:
            self._view.table.go_to(value - 1)
        else:
            self._go_to_event(value, self._view.ask_again_where)

    def go_to_event(self, number: int) -> None:
        """Goes to the event with this id."""
        self._go_to_event(number, lambda _number, told: self._view.count.tell(told))

    def _go_to_event(self, number: int, refuse: Refuse) -> None:
        result = self._rows.result
        if result is None:
            return
        known = result.row_of(number)
        if known is not None:
            self._view.table.go_to(known)
        else:
            title = self.tr("Looking for event %1").replace("%1", QLocale().toString(number))
            self._tasks.start(_WORK, self._seek(result, number, refuse), title=title, on_error=self._failed)

    async def _seek(self, result: Result, number: int, refuse: Refuse) -> None:
        order = result.listing.order[0]
        try:
            if order.field == "_id":
                await self._seek_row(result, number, order)
            else:
                await self._show_record(number)
        except NotFoundError:
            refuse(number, self.tr("There is no such event (any more)."))

    async def _seek_row(self, result: Result, number: int, order: Sort) -> None:
        async def probe(row: int) -> int | None:
            event = await event_in(self._client, result, row)
            return None if event is None else event.id

        row = await row_of_id(probe, result.rows, number, descending=order.descending)
        is_elsewhere = await probe(row) != number
        if is_elsewhere:
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

    def _failed(self, error: Exception) -> None:
        self._view.count.tell(self._words(error).title)
