"""The rows of the event browser or a page instead of them, with their count and notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import msgspec
from PySide6.QtCore import QPoint, QSettings, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from cdb_desktop.client import Event, Record
from cdb_desktop.events.counts import NewerCount
from cdb_desktop.events.event_details import EventDetails
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import NEWEST_FIRST, Query, sorted_by, without_filters
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns import Columns
from cdb_desktop.ui.events.browser.model import ResultModel
from cdb_desktop.ui.events.browser.row_menu import (
    RowMenu,
    commit_action_text,
    filters_of,
    history_action_text,
    object_action_text,
)
from cdb_desktop.ui.events.browser.status import CountLabel, EmptyPage, NewerButton
from cdb_desktop.ui.events.browser.table import BrowserTable, cell_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.event_table.table import EventTable
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.notice import FileNotice, NoticeStack
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.event_types import is_commit
from cdb_desktop.vocabulary.pattern import object_condition

_WAITING = 60  # placeholder rows
_PATIENCE = 150  # milliseconds before placeholders replace the old rows


class ScrollState(msgspec.Struct, frozen=True):
    """The row at the top and its event, and the selected event, in a result of ``total`` rows.

    ``chosen`` is the selected row while its event is still on its way.
    """

    row: int = 0
    top: int | None = None
    selected: int | None = None
    total: int = 0
    chosen: int | None = None

    @classmethod
    def of(cls, table: EventTable, result: QueryResult | None, before: ScrollState) -> ScrollState:
        """The state of the table, with the selection of ``before`` if it could not be restored yet.

        Returns ``before`` while rows are loaded.
        """
        if result is None:
            return before
        row = table.verticalScrollBar().value()
        top = _id(result, row)
        if not table.selectionModel().hasSelection():
            return cls(row, top, before.selected, result.rows)
        chosen = table.currentIndex().row()
        selected = _id(result, chosen)
        return cls(row, top, selected, result.rows, chosen if selected is None else None)

    def scroll(self, table: EventTable, result: QueryResult) -> None:
        """Scrolls to the event that was at the top; at the first row, new events are shown."""
        if self.row == 0:
            return
        known = None if self.top is None else result.row_of(self.top)
        # The range of the scroll bar still matches the placeholders.
        table.doItemsLayout()
        table.verticalScrollBar().setValue(self._moved(self.row, result) if known is None else known)

    def select(self, table: EventTable, result: QueryResult) -> bool:
        """Selects the event again if its page is loaded. Returns whether nothing is left to select."""
        if table.selectionModel().hasSelection():
            return True
        if self.chosen is not None:
            row: int | None = self._moved(self.chosen, result)
        else:
            row = None if self.selected is None else result.row_of(self.selected)
        if row is not None:
            scrolled = table.verticalScrollBar().value()
            table.selectRow(row)
            table.verticalScrollBar().setValue(scrolled)
        return self.selected is None or row is not None

    def _moved(self, row: int, result: QueryResult) -> int:
        # New events are above, so the other rows have moved down by the difference.
        return row + result.rows - self.total


def _id(result: QueryResult, row: int) -> int | None:
    event = result.event(row) if row >= 0 else None
    return None if event is None else event.id


class RecordPane(Protocol):
    """The interface of the inspector for the browser."""

    @property
    def outside(self) -> Event | None:
        """The event that is shown although it is not selected in the rows."""

    def show_nothing(self) -> None:
        """Shows that no event is selected."""

    def show_outside(self, details: EventDetails, text: str, offer: str) -> None:
        """Shows an event that is not selected in the rows, the reason, and an action to select it there."""


class BrowserView(QWidget):
    """The table, its columns, the page shown instead of it, the count and the notices.

    ``query`` and ``history`` are the current ones, ``seen`` the users and types of all events read so far.

    Signals: ``query_requested`` (Query) · ``reload_requested`` for the same query again ·
    ``schema_requested`` (Event) for the version made by a commit · ``history_requested`` (Event) for the
    history of its object · ``comparison_requested`` (list of two Events) · ``everything_requested``
    (Query, id) for another query whose rows have the event with the id, which is selected ·
    ``give_up_requested`` to cancel loading · ``query_shown`` (QueryHistory) ·
    ``query_offered`` (Query, its text) for what words of the query probably mean ·
    ``names_learned`` when ``seen`` has grown · ``access_changed`` (whether the user may see events) ·
    ``result_shown`` when the rows of the query are shown, even if empty · ``rows_gone`` when no rows are
    shown any more.
    """

    query_requested = Signal(object)
    reload_requested = Signal()
    schema_requested = Signal(object)
    history_requested = Signal(object)
    comparison_requested = Signal(object)
    everything_requested = Signal(object, object)
    give_up_requested = Signal()
    query_shown = Signal(object)
    query_offered = Signal(object, str)
    names_learned = Signal()
    access_changed = Signal(bool)
    result_shown = Signal()
    rows_gone = Signal()

    def __init__(
        self, appearance: Appearance, settings: QSettings, actions: Actions, inspector: RecordPane
    ) -> None:
        super().__init__()
        self.appearance = appearance
        self.settings = settings
        self.actions_by_name = actions
        self.inspector = inspector
        self.query = Query()
        self.history = QueryHistory()
        self.seen = KnownValues()
        self.model = ResultModel(self)
        self.table = BrowserTable(self.model, appearance, self)
        self.count = CountLabel(self)
        self.empty_page = EmptyPage(appearance, self)
        self.notice = FileNotice(appearance, self)
        self.interrupted = NoticeStack(appearance, self.notice, self)
        self.newer = NewerButton(appearance, actions["refresh"], self.table)
        self.views_button = ActionButton(actions["views"], self)
        self.share_button = IconButton(icon("share", appearance), "", self)
        self.share_button.setObjectName("events.share")
        self.rows_area = Splitter(parent=self)  # the table, and the inspector beside or below it
        self.rows_area.addWidget(self.table)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.rows_area)
        self.stack.addWidget(self.empty_page)
        self.columns = Columns(self.table, self.model, settings)
        self._scroll_state = ScrollState()
        self._signed_out = ""
        self._trouble = "", ""
        self._is_notice_old = False
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._late.timeout.connect(self._wait_for_rows)
        self.table.setAccessibleName(tr("Events"))
        self.table.menu_requested.connect(self._open_row_menu)
        self.table.rows_selected.connect(self.count.show_selected)
        self.table.sort_requested.connect(self._sort)
        self.empty_page.again_requested.connect(self.reload_requested)
        self.empty_page.clear_requested.connect(self._clear_filters)
        self.empty_page.query_requested.connect(self.query_requested)
        self.newer.clicked.connect(self._show_newer)
        self.share_button.setToolTip(tr("Share these filters or the selected events"))
        self.share_button.setAccessibleName(tr("Share"))

    @property
    def has_rows(self) -> bool:
        """Whether there are events in the table."""
        return self.model.result is not None and self.model.result.record(0) is not None

    @property
    def has_inspector(self) -> bool:
        """Whether the inspector is open; it is hidden while no event is selected."""
        return self.actions_by_name["inspector"].isChecked()

    @property
    def outside(self) -> Event | None:
        """The event that the inspector shows although it is not selected in the rows."""
        return self.inspector.outside if self.has_inspector else None

    @property
    def named_event(self) -> Event | None:
        """The current event: the event outside the rows, or that of the current row."""
        return self.outside or self.table.current_event

    def open_inspector(self) -> None:
        """Opens the inspector."""
        self.actions_by_name["inspector"].setChecked(True)

    def show_query(self, history: QueryHistory) -> None:
        """Shows another query, whose rows are being loaded; notices of the previous one will be hidden."""
        self.history, self.query = history, history.present
        self._is_notice_old = self.notice.isVisible()
        self.model.show_order(history.present.order)
        self.query_shown.emit(history)

    def show_loading(self, *, other_rows: bool = False) -> None:
        """Shows placeholders; rows that are shown stay, unless ``other_rows`` are being loaded."""
        if self.model.result is None:
            self._wait_for_rows()
        elif other_rows and not self._late.isActive():
            self._late.start()

    def show_result(self, result: QueryResult, *, keep_place: bool = True) -> None:
        """Shows other rows; ``keep_place`` keeps the selection and the scroll position where possible."""
        self._late.stop()
        self._drop_old_notice()
        self.access_changed.emit(True)
        self.newer.show_newer(NewerCount(0))
        before = self._scroll_state
        self._scroll_state = (
            ScrollState.of(self.table, self.model.result, before) if keep_place else ScrollState()
        )
        self.model.show_result(result)
        if keep_place:
            self._scroll_state.scroll(self.table, result)
        else:
            self.table.scrollToTop()
        self._select_again(result)
        self.show_count()
        self.names_learned.emit()
        self._bring_rows_or_page(result)
        self.table.announce_selection()
        self.result_shown.emit()

    def show_matches(self, result: MatchedResult, changed: Sequence[int]) -> None:
        """The search has gone on: the rows of these pages have changed."""
        self.show_count()
        for number in changed:
            self.model.show_page(number)
        self._bring_rows_or_page(result)
        self.names_learned.emit()
        if changed:
            QTimer.singleShot(0, self.table, self.table.announce_rows)
        if result.total is not None:
            self.result_shown.emit()

    def _bring_rows_or_page(self, result: QueryResult) -> None:
        if result.rows:
            self.bring_rows()
            return
        if isinstance(result, MatchedResult) and result.total is None:
            self.empty_page.show_searching(self.query, self.seen)
        else:
            self.empty_page.show_empty(self.query, self.seen)
        self.stack.setCurrentWidget(self.empty_page)

    def show_again(self, result: QueryResult) -> None:
        """Shows rows again that others were to replace, at their scroll position."""
        if self.model.result is result:
            self._late.stop()
        else:
            self.show_result(result)

    def show_page(self, number: int) -> None:
        """The events of one page have come; ignored if the rows were replaced meanwhile."""
        if self.model.result is None:
            return
        self.model.show_page(number)
        self._select_again(self.model.result)
        self.show_count()
        self.names_learned.emit()
        # Rows are painted first; the inspector follows in the next turn of the event loop.
        QTimer.singleShot(0, self.table, self.table.announce_rows)

    def show_count(self, everything: int | None = None) -> None:
        """The number of rows has become known, or of ``everything`` there is."""
        self.model.show_rows()
        self.count.show_result(self.model.result, everything)

    def show_failure(self, message: ErrorMessage) -> None:
        """Nothing can be shown, and why."""
        self._leave_rows()
        self.empty_page.show_failure(message)

    def show_forbidden(self, message: ErrorMessage) -> None:
        """The user may not see events."""
        self._leave_rows()
        self.access_changed.emit(False)
        self.empty_page.show_forbidden(message)

    def show_given_up(self) -> None:
        """Loading the first rows was cancelled."""
        self._leave_rows()
        self.empty_page.show_given_up()

    def show_outside(self, details: EventDetails, text: str, offer: str) -> None:
        """Shows an event that is not among the rows in the inspector; no row is selected then."""
        self._scroll_state = ScrollState()
        self.open_inspector()
        self.bring_rows()
        self.inspector.show_outside(details, text, offer)
        self.table.clear_current()
        self.table.announce_selection()

    def show_signed_out(self, message: ErrorMessage, *, rows_stay: bool = True) -> None:
        """Shows that the session is lost; the rows stay, unless they belong to another query."""
        self._late.stop()
        if self.has_rows and rows_stay:
            self._signed_out = message.title
            self.notice.show_failure(message)
        else:
            self._leave_rows()
            self.empty_page.show_signed_out(message)

    def show_trouble(self, cause: str, error: Exception) -> None:
        """Shows what went wrong in some work, until ``end_trouble`` for the same ``cause``."""
        self.notice.show_failure(error_message(error))
        self._trouble = cause, self.notice.text

    def end_trouble(self, cause: str) -> None:
        """Hides the notice of ``show_trouble`` for this cause; other notices stay."""
        if self._trouble == (cause, self.notice.text):
            self.notice.hide()
            self._trouble = "", ""

    def forget_signed_out(self) -> None:
        """Hides the notice of the lost session after another sign-in; other notices stay."""
        if self._signed_out and self.notice.title == self._signed_out:
            self.notice.hide()
        self._signed_out = ""

    def bring_rows(self) -> None:
        """Shows the rows instead of a picture."""
        self.stack.setCurrentWidget(self.rows_area)

    def search_object(self, event: Event) -> None:
        """Asks for all events of an object. The list has no filter by object (§4.3), so all is searched."""
        self.everything_requested.emit(Query(conditions=(object_condition(event),)), event.id)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if not event.spontaneous():
            self.table.setFocus()

    def _open_row_menu(self, record: Record, place: QPoint, column: EventColumn) -> None:
        ask = self.query_requested.emit
        menu = RowMenu(self, self.actions_by_name, ask, self.table.copy_requested.emit)
        if isinstance(record, Event):
            filters = filters_of(record, self.query, self.columns.shown, column.name)
            expanded = self.table.expanded
            title = tr("Collapse the row") if expanded.is_open(record) else tr("Expand the row")
            toggle = title, partial(expanded.toggle_event, record)
            menu.fill(filters, cell_text(column, record), toggle, self._links_of(record))
            partner = self.table.partner_of(record)
            if partner is None:
                menu.add_action("compare")
            else:
                text = tr("Compare with event {id}", id=number_text(partner.id))
                both = [partner, record]
                menu.menu.addAction(text).triggered.connect(partial(self.comparison_requested.emit, both))
            menu.add_action("delete_selected")
        else:
            menu.fill_for_unreadable()
        menu.menu.popup(place)

    def _links_of(self, event: Event) -> list[tuple[str, Callable[[], object]]]:
        """The way to what an event is about: its schema version, or its object."""
        if is_commit(event):
            return [(commit_action_text(event), partial(self.schema_requested.emit, event))]
        if event.object_id is None:
            return []
        return [
            (history_action_text(event), partial(self.history_requested.emit, event)),
            (object_action_text(event), partial(self.search_object, event)),
        ]

    def _sort(self, field: str, also: bool) -> None:
        self.query_requested.emit(sorted_by(self.query, field, also=also))

    def _clear_filters(self) -> None:
        self.query_requested.emit(without_filters(self.query))

    def _show_newer(self) -> None:
        first = self.query.order[0]
        if first.descending and first.field in (NEWEST_FIRST.field, "timestamp"):
            self.table.scrollToTop()
        self.reload_requested.emit()

    def _wait_for_rows(self) -> None:
        self._scroll_state = ScrollState.of(self.table, self.model.result, self._scroll_state)
        self.model.show_waiting(_WAITING)
        self.bring_rows()
        self.count.show_loading()
        self.rows_gone.emit()
        self.table.announce_selection()

    def _drop_old_notice(self) -> None:
        """An error of the query before is over; notices of success disappear by themselves."""
        if self._is_notice_old and not self.notice.is_passing:
            self.notice.hide()
        self._is_notice_old = False

    def _leave_rows(self) -> None:
        self._late.stop()
        self.newer.show_newer(NewerCount(0))
        self.model.show_waiting(0)
        self.count.clear()
        self.stack.setCurrentWidget(self.empty_page)
        self.rows_gone.emit()

    def _select_again(self, result: QueryResult) -> None:
        if self._scroll_state.select(self.table, result):
            self._scroll_state = ScrollState()
