"""Goes to an event, a row or a time, and searches for the row if necessary."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial, reduce

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget
from shiboken6 import isValid

from cdb_desktop.client import Event, EventFilter, NotFoundError, Sort
from cdb_desktop.events.event_details import event_details
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import find_row
from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Part, Query, excludes, is_time_order, without
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.popups.moment_field import MomentField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.time_input import TimeFault, TimeInputError, parse_time
from cdb_desktop.vocabulary.times import day_and_time

_FEW_RECORDS = 20  # records to read if the first one is unreadable
_WORK = "events.jump"


def _from(chosen: EventFilter, moment: datetime) -> EventFilter | None:
    """The part of a filter at or after ``moment``, None if nothing is left."""
    first, last = chosen.date_from, chosen.date_to
    if isinstance(last, datetime) and last < moment:
        return None
    if isinstance(first, datetime) and first > moment:
        return chosen
    return replace(chosen, date_from=moment)


class _Absence(msgspec.Struct, frozen=True):
    """Why an existing event is not selected in the rows of ``query``.

    ``parts`` of the query exclude it; ``is_newer`` than the rows; ``is_unplaced``: its row is not known
    in this sort order.
    """

    query: Query
    parts: tuple[Part, ...] = ()
    is_newer: bool = False
    is_unplaced: bool = False

    @property
    def remedy(self) -> Query:
        """The query among whose rows the event can be selected."""
        query = reduce(without, self.parts, self.query)
        return replace(query, sort=()) if self.is_unplaced else query


class JumpController(QObject):
    """Goes to an event, a row or a time; an event that is not among the rows is shown in the inspector.

    Signals: ``rows_requested`` (Query, id) when an event is to be selected among the rows of a query.
    """

    rows_requested = Signal(object, object)

    def __init__(self, context: BrowserContext, anchor: QWidget) -> None:
        """The popup opens below ``anchor``."""
        super().__init__(context.view)
        self._anchor = anchor
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._tasks = context.tasks
        self._wanted: tuple[datetime, JumpPopup] | None = None  # when the rows are sorted by time
        self._absence = _Absence(Query())
        self._rows.awaited.connect(self._forget)
        self._rows.shown.connect(self._go_on)
        self._rows.shown.connect(self._look_again)

    def open(self) -> None:
        """Opens the popup; it stays open until the jump succeeds or is cancelled."""
        view = self._view
        popup = JumpPopup(view.appearance, view.model.rowCount(), view.query.order, view)
        popup.go_requested.connect(partial(self._jump, popup))
        popup.stop_requested.connect(self._stop)
        popup.open_below(self._anchor)

    def go_to_event(self, number: int) -> None:
        """Goes to the event with this id."""
        self._go_to_event(number, None)

    def _jump(self, popup: JumpPopup) -> None:
        value = popup.value
        if value is None:
            self._arrive(popup)
        elif not isinstance(value, int):
            self._go_to_time(value, popup)
        elif popup.target is JumpTarget.ROW:
            self._view.table.go_to(value - 1)
            self._arrive(popup)
        else:
            self._go_to_event(value, popup)

    def _arrive(self, popup: JumpPopup | None) -> None:
        if popup is not None:
            popup.arrive()
            self._view.table.setFocus()

    def _stop(self) -> None:
        self._wanted = None
        self._tasks.cancel(_WORK)

    def _start(self, title: str, work: Callable[[], Awaitable[None]], popup: JumpPopup | None) -> None:
        """Starts a search; cancelling it enables the input again."""

        async def search() -> None:
            try:
                await work()
            except asyncio.CancelledError:
                if popup is not None:
                    popup.stop()
                raise

        self._tasks.start(_WORK, search(), title=title, on_error=partial(self._failed, popup))

    def _go_to_time(self, moment: datetime, popup: JumpPopup) -> None:
        """Goes to the first event at or after ``moment``; rows in another order are sorted by time first."""
        result = self._rows.result
        if result is None:
            self._arrive(popup)
        elif is_time_order(result.resolved_query.order):
            self._seek_from(result, moment, popup)
        else:
            self._wanted = moment, popup
            self._view.query_requested.emit(replace(self._view.query, sort=()))

    def _go_on(self, result: QueryResult | None) -> None:
        if self._wanted is None:
            return
        (moment, popup), self._wanted = self._wanted, None
        if result is not None and is_time_order(result.resolved_query.order):
            self._seek_from(result, moment, popup, is_sorted_anew=True)
        else:
            # Loading has failed, and the page shows the reason; or another query was started.
            self._arrive(popup)

    def _seek_from(
        self, result: QueryResult, moment: datetime, popup: JumpPopup, *, is_sorted_anew: bool = False
    ) -> None:
        work = partial(self._seek_time, result, moment, popup, is_sorted_anew=is_sorted_anew)
        self._start(tr("Looking for {time}", time=day_and_time(moment)), work, popup)

    async def _seek_time(
        self, result: QueryResult, moment: datetime, popup: JumpPopup, *, is_sorted_anew: bool
    ) -> None:
        row = await self._row_at(result, moment)
        self._arrive(popup)
        if result is self._rows.result:
            descending = result.resolved_query.order[0].descending
            newest = 0 if descending else result.rows - 1
            self._view.table.go_to(newest if row is None else row)
            self._show_row(moment, row, is_sorted_anew=is_sorted_anew)

    async def _row_at(self, result: QueryResult, moment: datetime) -> int | None:
        """The row of the first event at or after ``moment``, None if all are earlier."""
        if isinstance(result, MatchedResult):
            return result.row_at(moment)
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
        # Times and ids differ in order after a clock was set back; the rows are sorted by id.
        wanted = found.events[0].id
        if await self._id(result, row) == wanted:
            return row
        return await find_row(partial(self._id, result), result.rows, wanted, descending=order.descending)

    async def _id(self, result: QueryResult, row: int) -> int | None:
        """The id of the event in ``row``, or of the next readable one; None beyond the end."""
        here = result.event(row)
        if here is not None:
            return here.id
        asked = result.resolved_query
        for limit in (1, _FEW_RECORDS, PAGE_SIZE):
            page = await self._client.list_events(
                asked.filter, sort=asked.sort, limit=limit, offset=row, skip_count=True
            )
            if page.events or len(page.records) < limit:
                return page.events[0].id if page.events else None
        return None

    async def _count(self, result: QueryResult) -> None:
        """Counts the rows if their number is not known, since the row may be beyond those loaded."""
        if result.total is None:
            result.set_count((await self._client.list_events(result.resolved_query.filter, limit=1)).count)
            self._view.show_count()

    def _show_row(self, moment: datetime, row: int | None, *, is_sorted_anew: bool) -> None:
        time = day_and_time(moment)
        if row is None:
            text = tr("There are no events at or after {time}; this is the newest.", time=time)
        else:
            text = tr("Row {number}: the first from {time} on.", number=row + 1, time=time)
        anew = tr("Newest first now, Alt+Left goes back.")
        self._view.count.show_message(f"{text} {anew}" if is_sorted_anew else text)

    def _go_to_event(self, number: int, popup: JumpPopup | None) -> None:
        result = self._rows.result
        known = None if result is None else self._known_row(result, number)
        if known is not None:
            self._tasks.cancel(_WORK)
            self._select(known)
            self._arrive(popup)
        else:
            self._start(
                tr("Looking for event {number}", number=number), partial(self._seek, number, popup), popup
            )

    async def _seek(self, number: int, popup: JumpPopup | None) -> None:
        try:
            event = await self._client.event(number)
            place = await self._place(event)
        except NotFoundError:
            self._refuse(popup, tr("There is no event {number} (any more).", number=number))
        else:
            if isinstance(place, int):
                self._select(place)
            else:
                self._view.end_trouble(_WORK)
                self._absence = place
                # The record was fetched by id, and is complete.
                details = event_details(event, is_whole=True)
                self._view.show_outside(details, self._absence_text(place), _remedy_text(place))
            self._arrive(popup)

    async def _place(self, event: Event) -> int | _Absence:
        """The row of an event, or the reason why it has none. Raises ClientError."""
        while True:
            query, result = self._view.query, self._rows.result
            if result is None:
                return _Absence(query)
            place = await self._place_in(result, query, event)
            if result is self._rows.result:
                return place

    async def _place_in(self, result: QueryResult, query: Query, event: Event) -> int | _Absence:
        asked = query.at(datetime.now(UTC)).filter
        # Relative dates refer to the time when the rows were loaded.
        asked = replace(asked, date_from=result.resolved_query.filter.date_from)
        excluded = {part: excludes(query, part, event, asked) for part in query.parts}
        is_sorted = isinstance(result, MatchedResult) or result.resolved_query.order[0].field == "_id"
        is_unplaced = not is_sorted
        hiding = tuple(part for part in query.parts if excluded[part])
        if hiding:
            return _Absence(query, hiding, is_unplaced=is_unplaced)
        if _is_newer(result, event):
            return _Absence(query, is_newer=True, is_unplaced=is_unplaced)
        row = None if is_unplaced else await self._row(result, event.id)
        if row is not None and row < self._view.model.rowCount():
            return row
        unknown = tuple(part for part in query.parts if excluded[part] is None)
        if is_unplaced:
            unknown = tuple([part for part in unknown if not await self._passes(query, part, event)])
        return _Absence(query, unknown, is_unplaced=is_unplaced)

    async def _row(self, result: QueryResult, number: int) -> int | None:
        """The row of an event in a result by id, None if it is not among them. Raises ClientError."""
        if isinstance(result, MatchedResult):
            return result.row_of(number)

        descending = result.resolved_query.order[0].descending
        row = await find_row(partial(self._id, result), result.rows, number, descending=descending)
        # New or deleted events may have shifted the rows of the service.
        for near in (row, row - PAGE_SIZE // 4, row + PAGE_SIZE // 4):
            if result is self._rows.result and 0 <= near < max(1, result.rows):
                await self._rows.records([near])
                if (known := result.row_of(number)) is not None:
                    return known
        return None

    async def _passes(self, query: Query, part: Part, event: Event) -> bool:
        """Whether an event matches one part of the query. Raises ClientError."""
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
        self._view.end_trouble(_WORK)
        self._view.table.go_to(row)

    def show_in_rows(self) -> None:
        """Requests rows that contain the event outside the rows, and selects it there."""
        event = self._view.outside
        if event is not None:
            self.rows_requested.emit(self._absence.remedy, event.id)

    def _forget(self) -> None:
        if self._view.inspector.outside is not None:
            self._view.inspector.show_nothing()

    def _look_again(self, result: QueryResult | None) -> None:
        """Selects the event if the reloaded rows contain it."""
        event = self._view.outside
        if event is None or result is None:
            return
        known = self._known_row(result, event.id)
        if known is not None:
            self._view.table.go_to(known)

    def _absence_text(self, absence: _Absence) -> str:
        if absence.parts:
            others = (part for part in absence.query.parts if part not in absence.parts)
            filters = whole_query(reduce(without, others, absence.query), self._view.seen)
            return tr("Not among these rows because of the filter {filters}.", filters=filters)
        if absence.is_newer:
            return tr("Not among these rows: it is newer.")
        if absence.is_unplaced:
            return tr("Its row is not known in this sort order.")
        return tr("Not among these rows.")

    def _refuse(self, popup: JumpPopup | None, message: str) -> None:
        if popup is not None:
            popup.refuse(message)
        else:
            self._view.warn(_WORK, "", message)

    def _failed(self, popup: JumpPopup | None, error: Exception) -> None:
        self._refuse(popup, error_message(error).title)


def _remedy_text(absence: _Absence) -> str:
    if len(absence.parts) > 1:
        return tr("Remove these filters and show it")
    if absence.parts:
        return tr("Remove this filter and show it")
    if absence.is_unplaced:
        return tr("Sort newest first and show it")
    return tr("Refresh and show it")


def _is_newer(result: QueryResult, event: Event) -> bool:
    if result.newest is not None:
        return event.id > result.newest
    last = result.resolved_query.filter.date_to
    return isinstance(last, datetime) and event.timestamp is not None and event.timestamp > last


_BETWEEN = str.maketrans("", "", "#.,' \u00a0\u202f\u2019")  # characters allowed between the digits
_LARGEST = 2**63 - 1


class JumpTarget(Enum):
    """What the input means."""

    EVENT = "event"
    ROW = "row"
    TIME = "time"


class JumpPopup(Popup):
    """A line for the target, with buttons for both ends; open until ``arrive`` is called.

    Signals: ``go_requested`` when the user wants to go there · ``stop_requested`` when they cancel.
    """

    go_requested = Signal()
    stop_requested = Signal()

    def __init__(self, appearance: Appearance, rows: int, order: Sequence[Sort], parent: QWidget) -> None:
        super().__init__(appearance, "events.jump", tr("Go to"), tr("Go"), parent)
        self._rows, self._order = rows, order
        self._guessed: JumpTarget | None = None
        self.is_searching = self._has_arrived = False
        self._target = named("events.jump.goal", QComboBox(self))
        names = (tr("Event id"), tr("Row"), tr("Time"))
        for target, name in zip(JumpTarget, names, strict=True):
            self._target.addItem(name, target)
        self._target.setAccessibleName(tr("Meaning of the input"))
        self.field = MomentField(appearance, "events.jump", "", self)
        self.line: QLineEdit = self.field.line
        self.line.textChanged.connect(self._guess)
        self._target.currentIndexChanged.connect(self._read)
        self.field.changed.connect(self._read)
        self.add(self._beside(self._target, self.field))
        self._ends = self._make_ends()
        self.add(self._ends)
        self.finish(self.line)
        self._read()

    @property
    def target(self) -> JumpTarget:
        """The selected meaning of the input."""
        return JumpTarget(self._target.currentData())

    @property
    def value(self) -> int | datetime | None:
        """The number or the time; None for nothing or an invalid text."""
        return self.field.moment if self.target is JumpTarget.TIME else self._number

    def arrive(self) -> None:
        """Closes the popup after the jump has succeeded."""
        self.is_searching, self._has_arrived = False, True
        self.close()

    def refuse(self, message: str) -> None:
        """Shows why the jump failed, and keeps the text."""
        self._set_searching(searching=False)
        self.line.selectAll()
        self.field.show_message(message, "danger")

    def stop(self) -> None:
        """Enables the input again after a cancellation."""
        if self.is_searching and isValid(self):
            self._set_searching(searching=False)
            self._read()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if not self.is_searching:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.stop()
            self.stop_requested.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if self.is_searching:
            self.is_searching = False
            self.stop_requested.emit()
        elif self._starts_jump():
            self._set_searching(searching=True)
            self.go_requested.emit()
            if not self._has_arrived:
                event.ignore()
                return
        super().closeEvent(event)

    def _starts_jump(self) -> bool:
        """Whether closing starts a jump."""
        wanted = self.is_applied and not self._has_arrived
        return wanted and self.holds() is None and self.value is not None

    def _set_searching(self, *, searching: bool) -> None:
        self.is_searching = searching
        if searching:
            self.line.setFocus()
            self.field.show_message(tr("Searching… Esc stops."))
        for part in (self._target, self._ends, self.apply):
            part.setEnabled(not searching)
        self.line.setReadOnly(searching)

    def holds(self) -> QWidget | None:
        """The line, as long as its text is invalid."""
        return self.line if self.line.text().strip() and (self.value is None or self._wrong()) else None

    @property
    def _number(self) -> int | None:
        digits = self.line.text().strip().translate(_BETWEEN)
        return int(digits) if digits.isdecimal() and len(digits) < 30 else None

    def _wrong(self) -> str:
        """Why the number is not possible, empty if it is."""
        number = self._number
        if self.target is JumpTarget.TIME or not self.line.text().strip():
            return ""
        if number is None:
            return tr("Not a number.")
        if self.target is JumpTarget.EVENT and number > _LARGEST:
            return tr("This id is too large.")
        return tr("Rows begin with 1.") if self.target is JumpTarget.ROW and number < 1 else ""

    def _guess(self, text: str) -> None:
        """A text that is a time selects the time; a bare number changes nothing."""
        if self.target is JumpTarget.TIME:
            if self._guessed is not None and self._number is not None and self.field.fault is not None:
                self._choose(self._guessed)
            return
        try:
            parse_time(text, datetime.now(UTC))
        except TimeInputError as error:
            if error.fault is TimeFault.NONSENSE or self._number is not None:
                return
        before = self.target
        self._choose(JumpTarget.TIME)
        self._guessed = before

    def _choose(self, target: JumpTarget) -> None:
        self._guessed = None
        self._target.setCurrentIndex(self._target.findData(target))

    def _read(self) -> None:
        hint = {
            JumpTarget.EVENT: tr("Such as 19,998"),
            JumpTarget.ROW: tr("1 to {rows}", rows=self._rows),
            JumpTarget.TIME: tr("Such as 2026-11-20 14:02, 14:02, or 2h"),
        }[self.target]
        self.field.pick.setVisible(self.target is JumpTarget.TIME)
        self.line.setPlaceholderText(hint)
        self.line.setAccessibleName(self._target.currentText())
        if self.target is JumpTarget.TIME:
            self.field.show_meaning()
            if self.field.fault is None and not is_time_order(self._order):
                self.field.show_message(tr("Sorts the rows newest first; Alt+Left goes back."), "warning")
        elif wrong := self._wrong():
            self.field.show_message(wrong, "danger")
        else:
            beyond = self.target is JumpTarget.ROW and (self._number or 0) > self._rows
            self.field.show_message(tr("There are fewer rows; this goes to the last one.") if beyond else "")

    def _make_ends(self) -> QWidget:
        first = QPushButton(tr("First row (Home)"), self)
        last = QPushButton(tr("Last row (End)"), self)
        for button, row in ((first, 1), (last, self._rows)):
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._take_row, row))
        return self._beside(first, last, is_even=True)

    def _beside(self, left: QWidget, right: QWidget, *, is_even: bool = False) -> QWidget:
        widget = QWidget(self)
        layout = lay_out(QHBoxLayout(widget), spacing=GAP)
        layout.addWidget(left, int(is_even))
        layout.addWidget(right, 1)
        if not is_even:
            # There is a note below the right one.
            layout.setAlignment(left, Qt.AlignmentFlag.AlignTop)
        return widget

    def _take_row(self, row: int) -> None:
        self._choose(JumpTarget.ROW)
        self.line.setText(str(row))
        self.confirm()
