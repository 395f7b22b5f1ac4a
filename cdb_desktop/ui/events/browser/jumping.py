"""Goes to an event, a row or a time that somebody has asked for, also where the row has to be found first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial, reduce

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Event, NotFoundError
from cdb_desktop.events.event_details import event_details
from cdb_desktop.events.query import Query, QueryPart, excludes, without
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.events.row_lookup import find_row
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.jump_popup import Goal, JumpPopup
from cdb_desktop.ui.events.browser.phrases import whole_query
from cdb_desktop.ui.events.browser.probe import event_in
from cdb_desktop.ui.events.browser.time_jump import TimeJump
from cdb_desktop.ui.events.browser.way import Way

_WORK = "events.jump"


class _Absence(msgspec.Struct, frozen=True):
    """Why an event that exists is not selected in the rows of ``query``.

    ``parts`` of the query hide it; ``is_newer`` than the rows; ``is_unplaced``: the order of the rows does
    not tell where it stands, though it may be among them.
    """

    query: Query
    parts: tuple[QueryPart, ...] = ()
    is_newer: bool = False
    is_unplaced: bool = False

    @property
    def remedy(self) -> Query:
        """The query among whose rows the event can be selected."""
        query = reduce(without, self.parts, self.query)
        return replace(query, sort=()) if self.is_unplaced else query


class Jumping(QObject):
    """Selects the row of an event; one that is not among the rows is shown by itself in the inspector.

    Signals: ``rows_requested`` (Query, id) when an event shall be selected among the rows of a query.
    """

    rows_requested = Signal(object, object)

    def __init__(self, context: BrowserContext, anchor: QWidget) -> None:
        """The popup opens below ``anchor``."""
        super().__init__(context.view)
        self._anchor = anchor
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks, self._words = context.tasks, context.words
        self._to_time = TimeJump(context)
        self._absence = _Absence(Query())
        self._missing = ""
        self._rows.awaited.connect(self._forget)
        self._rows.shown.connect(self._look_again)

    def open(self) -> None:
        """Asks where to go; the sheet stays until this is reached or given up."""
        view = self._view
        sheet = JumpPopup(view.appearance, view.model.rowCount(), view.query.order, view)
        sheet.go_requested.connect(partial(self._jump, sheet))
        sheet.stop_requested.connect(self._stop)
        sheet.open_below(self._anchor)

    def go_to_event(self, number: int) -> None:
        """Goes to the event with this id."""
        self._go_to_event(number, Way(self._refuse))

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
        known = None if result is None else self._known_row(result, number)
        if known is not None:
            self._tasks.cancel(_WORK)
            self._select(known)
            way.arrive()
        else:
            title = self.tr("Looking for event %1").replace("%1", number_text(number))
            failed = partial(self._failed, way)
            self._tasks.start(_WORK, self._seek(number, way), title=title, on_error=failed)

    async def _seek(self, number: int, way: Way) -> None:
        try:
            event = await self._client.event(number)
            place = await self._place(event)
        except NotFoundError:
            told = self.tr("There is no event %1 (any more).")
            way.refuse(told.replace("%1", number_text(number)))
        except asyncio.CancelledError:
            way.stop()
            raise
        else:
            if isinstance(place, int):
                self._select(place)
            else:
                self._show_by_itself(event, place)
            way.arrive()

    async def _place(self, event: Event) -> int | _Absence:
        """The row of an event, or why it has none. Raises ClientError."""
        while True:
            query, result = self._view.query, self._rows.result
            if result is None:
                return _Absence(query)
            place = await self._place_in(result, query, event)
            if result is self._rows.result:
                return place

    async def _place_in(self, result: QueryResult, query: Query, event: Event) -> int | _Absence:
        asked = query.at(datetime.now(UTC)).filter
        # Relative dates were reckoned from the moment in which the rows were loaded.
        asked = replace(asked, date_from=result.resolved_query.filter.date_from)
        told = {part: excludes(query, part, event, asked) for part in query.parts}
        is_unplaced = result.resolved_query.order[0].field != "_id"
        hiding = tuple(part for part in query.parts if told[part])
        if hiding:
            return _Absence(query, hiding, is_unplaced=is_unplaced)
        if _is_newer(result, event):
            return _Absence(query, is_newer=True, is_unplaced=is_unplaced)
        row = None if is_unplaced else await self._row(result, event.id)
        if row is not None and row < self._view.model.rowCount():
            return row
        unknown = tuple(part for part in query.parts if told[part] is None)
        if is_unplaced:
            unknown = tuple([part for part in unknown if not await self._passes(query, part, event)])
        return _Absence(query, unknown, is_unplaced=is_unplaced)

    async def _row(self, result: QueryResult, number: int) -> int | None:
        """The row of an event in a result by id, None where it is not among them. Raises ClientError."""

        async def probe(row: int) -> int | None:
            found = await event_in(self._client, result, row)
            return None if found is None else found[1].id

        descending = result.resolved_query.order[0].descending
        row = await find_row(probe, result.rows, number, descending=descending)
        # What has happened since may have moved the rows of the service by some.
        for near in (row, row - PAGE_SIZE // 4, row + PAGE_SIZE // 4):
            if result is self._rows.result and 0 <= near < max(1, result.rows):
                await self._rows.records([near])
                if (known := result.row_of(number)) is not None:
                    return known
        return None

    async def _passes(self, query: Query, part: QueryPart, event: Event) -> bool:
        """Whether one part of the query by itself lets an event pass. Raises ClientError."""
        if event.timestamp is None:
            return True
        others = (one for one in query.parts if one is not part)
        chosen = reduce(without, others, query).at(datetime.now(UTC)).filter
        chosen = replace(chosen, date_from=event.timestamp, date_to=event.timestamp)
        page = await self._client.list_events(chosen, limit=PAGE_SIZE, skip_count=True)
        return len(page.records) == PAGE_SIZE or any(one.id == event.id for one in page.events)

    def _known_row(self, result: QueryResult, number: int) -> int | None:
        row = result.row_of(number)
        return row if row is not None and row < self._view.model.rowCount() else None

    def _select(self, row: int) -> None:
        self._drop_notice()
        self._view.table.go_to(row)

    def _show_by_itself(self, event: Event, absence: _Absence) -> None:
        self._drop_notice()
        self._absence = absence
        # The record has been read by its id, and is whole.
        self._view.show_outside(event_details(event, is_whole=True), self._told(), self._offered())

    def show_in_rows(self) -> None:
        """Selects the event outside the rows in rows among which it is."""
        event = self._view.outside
        if event is not None:
            self.rows_requested.emit(self._absence.remedy, event.id)

    def _forget(self) -> None:
        if self._view.inspector.outside is not None:
            self._view.inspector.show_nothing()

    def _look_again(self, result: QueryResult | None) -> None:
        """Rows were loaded anew: what was not among them may be."""
        event = self._view.outside
        if event is None or result is None:
            return
        known = self._known_row(result, event.id)
        if known is not None:
            self._view.table.go_to(known)

    def _told(self) -> Callable[[], str]:
        absence = self._absence
        hiding = reduce(without, _others(absence), absence.query)
        filters = partial(whole_query, hiding, self._view.seen)

        def say() -> str:
            if absence.parts:
                return self.tr("Not among these rows because of the filter %1.").replace("%1", filters())
            if absence.is_newer:
                return self.tr("Not among these rows: it is newer.")
            if absence.is_unplaced:
                return self.tr("Its row is not known in this sort order.")
            return self.tr("Not among these rows.")

        return say

    def _offered(self) -> Callable[[], str]:
        absence = self._absence

        def say() -> str:
            if len(absence.parts) > 1:
                return self.tr("Remove these filters and show it")
            if absence.parts:
                return self.tr("Remove this filter and show it")
            if absence.is_unplaced:
                return self.tr("Sort newest first and show it")
            return self.tr("Refresh and show it")

        return say

    def _refuse(self, told: str) -> None:
        self._missing = told
        self._view.notice.show_notice("warning", "", told)

    def _drop_notice(self) -> None:
        """What could not be found before is of no interest any more."""
        if self._missing and self._view.notice.text == self._missing:
            self._view.notice.hide()
        self._missing = ""

    def _failed(self, way: Way, error: Exception) -> None:
        way.refuse(self._words(error).title)


def _others(absence: _Absence) -> tuple[QueryPart, ...]:
    return tuple(part for part in absence.query.parts if part not in absence.parts)


def _is_newer(result: QueryResult, event: Event) -> bool:
    if result.newest is not None:
        return event.id > result.newest
    last = result.resolved_query.filter.date_to
    return isinstance(last, datetime) and event.timestamp is not None and event.timestamp > last
