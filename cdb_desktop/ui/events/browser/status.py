"""The number of rows, the button about newer events, and the page shown instead of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QTableView, QVBoxLayout, QWidget

from cdb_desktop.events.counts import NewerCount
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.result import QueryResult
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import key_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import PillButton
from cdb_desktop.ui.widgets.empty_state import EmptyState, EmptyStateKind
from cdb_desktop.ui.widgets.labels import ElidedLabel, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.query_texts import whole_query
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import zone_name

_EMPTY = "empty-results"  # the topic of the manual
_WHILE = 6000  # milliseconds for which a message is shown


class CountLabel(QWidget):
    """The number of rows, of selected rows, and for a while a message."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = ElidedLabel(self)
        self._label.setObjectName("events.count")
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
