"""The rows of the event browser or a page instead of them, with their count and notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import msgspec
from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTableView, QVBoxLayout, QWidget

from cdb_desktop.client import Event, Record
from cdb_desktop.events.counts import NewerCount
from cdb_desktop.events.event_details import EventDetails
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import NEWEST_FIRST, Query, sorted_by, without_filters
from cdb_desktop.ui.actions import Actions, key_of
from cdb_desktop.ui.events.browser.columns import Columns
from cdb_desktop.ui.events.browser.model import ResultModel
from cdb_desktop.ui.events.browser.row_menu import (
    RowMenu,
    commit_action_text,
    filters_of,
    history_action_text,
    object_action_text,
)
from cdb_desktop.ui.events.browser.table import BrowserTable, cell_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, tabular
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton, PillButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.event_table.table import EventTable
from cdb_desktop.ui.widgets.labels import ElidedLabel, caption
from cdb_desktop.ui.widgets.layout import Splitter, lay_out
from cdb_desktop.ui.widgets.notice import FileNotice, NoticeStack
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.event_types import is_commit
from cdb_desktop.vocabulary.pattern import object_condition
from cdb_desktop.vocabulary.times import zone_name

SIGNED_OUT = "events.signed_out"  # the cause of the notice of a lost session
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
        self.share_button = named("events.share", IconButton(icon("share", appearance), "", self))
        self.rows_area = Splitter(parent=self)  # the table, and the inspector beside or below it
        self.rows_area.addWidget(self.table)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self.rows_area)
        self.stack.addWidget(self.empty_page)
        self.columns = Columns(self.table, self.model, settings)
        self._scroll_state = ScrollState()
        self._trouble = "", ""
        self._is_notice_old = False
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._late.timeout.connect(self._wait_for_rows)
        self.table.setAccessibleName(tr("Events"))
        self.table.menu_requested.connect(self._open_row_menu)
        self.table.rows_selected.connect(self.count.show_selected)
        self.table.sort_requested.connect(self._sort)
        self.empty_page.again_requested.connect(self.reload_requested)
        self.empty_page.clear_requested.connect(
            lambda: self.query_requested.emit(without_filters(self.query))
        )
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
        # An error of the query before is over; a written file is still there.
        if self._is_notice_old and not self.notice.is_good_news:
            self.notice.hide()
        self._is_notice_old = False
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
            self.notice.show_failure(message)
            self._trouble = SIGNED_OUT, self.notice.text
        else:
            self._leave_rows()
            self.empty_page.show_signed_out(message)

    def show_trouble(self, cause: str, error: Exception) -> None:
        """Shows what went wrong in some work, until ``end_trouble`` for the same ``cause``."""
        self.notice.show_failure(error_message(error))
        self._trouble = cause, self.notice.text

    def warn(self, cause: str, title: str, text: str) -> None:
        """Shows a warning, also until ``end_trouble``."""
        self.notice.show_notice("warning", title, text)
        self._trouble = cause, self.notice.text

    def end_trouble(self, cause: str) -> None:
        """Hides the notice of ``show_trouble`` or ``warn`` for this cause; other notices stay."""
        if self._trouble == (cause, self.notice.text):
            self.notice.hide()
            self._trouble = "", ""

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


_EMPTY = "empty-results"  # the topic of the manual
_WHILE = 6000  # milliseconds for which a message is shown


class CountLabel(QWidget):
    """The number of rows, of selected rows, and for a while a message."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = named("events.count", ElidedLabel(self))
        self._label.setFont(tabular(self.font()))
        self._beside = caption(self)
        self._result: QueryResult | None = None
        self._everything: int | None = None
        self._selected = 0
        self._loading = False
        self._message = ""
        self._while = QTimer(self, singleShot=True, interval=_WHILE)
        self._while.timeout.connect(lambda: self.show_message(""))
        lay_out(QHBoxLayout(self), self._label, self._beside, spacing=GAP)

    @property
    def text(self) -> str:
        """What is shown."""
        return f"{self._label.text()} {self._beside.text()}"

    def show_loading(self) -> None:
        """Other rows are being loaded."""
        self._loading = True
        self._write()

    def show_refreshing(self, *, refreshing: bool) -> None:
        """The same rows are being loaded again, or no longer."""
        self._loading = refreshing
        if refreshing:
            self._message = ""
        self._write()

    def show_result(self, result: QueryResult | None, everything: int | None) -> None:
        """Shows the number of rows of a result, of ``everything`` there is if that is known."""
        if result is not self._result or everything is not None:
            self._everything = everything
        self._result, self._loading = result, False
        self._write()

    def show_selected(self, rows: int) -> None:
        """Shows how many rows are selected."""
        if rows != self._selected:
            self._selected = rows
            self._write()

    def show_message(self, text: str) -> None:
        """Shows a message for a while."""
        self._message = text
        if text:
            self._while.start()
        self._write()

    def clear(self) -> None:
        """There are no rows to count."""
        self._result, self._loading, self._message = None, False, ""
        self._write()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the time zone."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._write()

    def _write(self) -> None:
        self._label.setText(self._counted() if self._loading else self._message or self._counted())
        selected = tr("{selected} selected", selected=self._selected) if self._selected > 1 else ""
        zone = zone_name() if self._result is not None else ""
        self._beside.setText(" · ".join(part for part in (self._unread(), selected, zone) if part))

    def _unread(self) -> str:
        unread = 0 if self._result is None else self._result.unreadable
        return tr("{unread} unreadable", unread=unread) if unread else ""

    def _counted(self) -> str:
        if self._loading:
            return tr("Loading events…")
        if self._result is None:
            return ""
        rows, total = self._result.rows, self._result.total
        if isinstance(self._result, MatchedResult):
            return self._matched(self._result)
        if total is None:
            return tr("{rows}+ events", rows=rows)
        if self._everything is not None:
            return tr("{rows} of {everything}", rows=rows, everything=max(self._everything, total))
        return tr("{rows:1 event|{rows} events}", rows=rows)

    def _matched(self, result: MatchedResult) -> str:
        done = result.progress
        found = tr("{found} found", found=result.found)
        if result.total is None and done.fraction is not None:
            return f"{found} · {tr('{percent} % searched', percent=int(100 * done.fraction))}"
        if not result.is_complete:
            return f"{found} · {tr('{searched} searched', searched=done.searched)}"
        everything = done.searched if self._everything is None else max(self._everything, done.searched)
        return tr("{rows} of {everything}", rows=result.rows, everything=everything)


class NewerButton(PillButton):
    """Shows how many events are newer than the rows; hidden if no event is newer.

    It is at the right of the column titles, so that it neither moves rows nor hides one. It is short where it
    would cover a title.
    """

    def __init__(self, appearance: Appearance, refresh: QAction, table: QTableView) -> None:
        super().__init__(appearance, table)
        self._refresh = refresh
        self._header = table.horizontalHeader()
        self._newer = NewerCount(0)
        self.setObjectName("events.newer")
        self._text, self._tip = "", ""
        self._header.installEventFilter(self)
        self._header.sectionResized.connect(self._place)
        self.hide()

    @property
    def counts(self) -> bool:
        """Whether another newer event would change the text."""
        return self._newer.is_exact

    def show_newer(self, newer: NewerCount) -> None:
        """Shows how many events are newer than the rows."""
        self._newer = newer
        self._write()
        self.setVisible(newer.number > 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _write(self) -> None:
        number, key = self._newer.number, key_of(self._refresh)
        if self._newer.is_exact:
            self._text = tr("{number:1 newer event|{number} newer events} · {key}", number=number, key=key)
        else:
            self._text = tr("More than {number} newer events · {key}", number=number, key=key)
        self._tip = tr("Show them. Until then the rows stay as they are.")
        self._place()

    def _place(self) -> None:
        titles = self._header.geometry()
        self.show_text(self._text, self._tip)
        if titles.width() - GAP - self.sizeHint().width() < self._end_of_titles():
            more = "" if self._newer.is_exact else "+"
            short = f"+{number_text(self._newer.number)}{more}"
            self.show_text(short, f"{self._text}\n{self._tip}")
            self.setAccessibleName(self._text)
        self.resize(self.sizeHint())
        self.move(titles.right() - GAP - self.width(), titles.center().y() - self.height() // 2)
        self.raise_()

    def _end_of_titles(self) -> int:
        """Where the title of the last column in view ends, in the header."""
        header, model = self._header, self._header.model()
        shown = [
            place
            for place in range(header.count())
            if not header.isSectionHidden(place) and header.sectionViewportPosition(place) < header.width()
        ]
        if not shown:
            return 0
        last = max(shown, key=header.visualIndex)
        title = str(model.headerData(last, Qt.Orientation.Horizontal) or "")
        return header.sectionViewportPosition(last) + header.fontMetrics().horizontalAdvance(title) + 2 * GAP


class EmptyPage(QWidget):
    """The page that is shown instead of rows, with a button.

    Signals: ``again_requested`` to load again · ``clear_requested`` to remove the filters ·
    ``query_requested`` (Query) for a similar query · ``sign_in_requested``.
    """

    again_requested = Signal()
    clear_requested = Signal()
    query_requested = Signal(object)
    sign_in_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = EmptyState(appearance, self)
        self._offers: Sequence[tuple[Query, Callable[[], str]]] = ()
        self.state.choice_made.connect(lambda place: self.query_requested.emit(self._offers[place][0]))
        self._step: SignalInstance = self.again_requested
        self._show: Callable[[], None] = lambda: None
        self.state.step_requested.connect(self._go_on)
        lay_out(QVBoxLayout(self), self.state)

    def show_empty(self, query: Query, seen: KnownValues) -> None:
        """There is no event, or none that matches the filters."""
        if query.parts:
            self._put(lambda: self._filtered(query, seen), self.clear_requested)
        else:
            self._put(self._empty, self.again_requested)

    def show_offers(self, offers: Sequence[tuple[Query, Callable[[], str]]]) -> None:
        """Adds similar queries, with functions that return what they find."""
        self._offers = offers
        self.state.show_choices([text() for _query, text in offers])

    def show_searching(self, query: Query, seen: KnownValues) -> None:
        """All that the service lists is being searched, and nothing was found so far."""
        self._put(lambda: self._searching(query, seen), self.again_requested)

    def show_given_up(self) -> None:
        """Loading was cancelled."""
        self._put(self._given_up, self.again_requested)

    def show_failure(self, message: ErrorMessage) -> None:
        """Loading has failed."""
        self._put(lambda: self.state.show_failure(message, tr("Try again")), self.again_requested)

    def show_forbidden(self, message: ErrorMessage) -> None:
        """The right to see events is missing, or a gateway refuses access, possibly temporarily."""

        def show() -> None:
            step = "" if message.code else tr("Try again")
            self.state.show_failure(message, step, EmptyStateKind.FORBIDDEN)

        self._put(show, self.again_requested)

    def show_signed_out(self, message: ErrorMessage) -> None:
        """The session is lost."""
        step = self.sign_in_requested
        self._put(
            lambda: self.state.show_failure(message, tr("Sign in again"), EmptyStateKind.FORBIDDEN), step
        )

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the time zone."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()
            self.show_offers(self._offers)

    def _put(self, show: Callable[[], None], step: SignalInstance) -> None:
        self._show, self._step, self._offers = show, step, ()
        show()

    def _go_on(self) -> None:
        self._step.emit()

    def _empty(self) -> None:
        text = tr("The service has not written any events yet. New events appear here.")
        self.state.show_state(EmptyStateKind.EMPTY, tr("No events"), text, tr("Look again"), _EMPTY)

    def _given_up(self) -> None:
        text = tr("Loading was cancelled, and no events had been loaded before.")
        self.state.show_state(EmptyStateKind.EMPTY, tr("Cancelled"), text, tr("Load again"))

    def _searching(self, query: Query, seen: KnownValues) -> None:
        text = tr("Nothing was found so far: {whole_query}.", whole_query=whole_query(query, seen))
        self.state.show_state(EmptyStateKind.LOADING, tr("Searching"), text)

    def _filtered(self, query: Query, seen: KnownValues) -> None:
        text = tr(
            "No event passes all of these filters: {whole_query}.", whole_query=whole_query(query, seen)
        )
        title, step = tr("Nothing found"), tr("Clear filters")
        self.state.show_state(EmptyStateKind.EMPTY, title, text, step, _EMPTY)
