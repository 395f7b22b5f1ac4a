"""What the event browser shows when: rows, those to come, or a picture in their place. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSettings, QTimer, Signal
from PySide6.QtGui import QShowEvent

from cdb_desktop.events.history import History
from cdb_desktop.events.newer import Newer
from cdb_desktop.events.pages import Result
from cdb_desktop.events.record import Details
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.place import Place
from cdb_desktop.ui.events.page import EventsPage
from cdb_desktop.ui.events.ties import Ties
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_WAITING = 60
_PATIENCE = 150  # milliseconds that the old rows stand for before those to come hold their place


class EventsView(EventsPage):
    """The page of the event browser, and what its controller shows on it.

    Signals: ``result_shown`` when the rows of the query in force are there, be they none.
    """

    result_shown = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__(appearance, settings, actions)
        self.history = History()
        self._place = Place()
        self._signed_out = ""
        self._trouble = "", ""
        self._is_notice_old = False
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._late.timeout.connect(self._wait_for_rows)
        self.table.setAccessibleName(self.tr("Events"))
        Ties(self)

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the table."""
        return self.model.result is not None and self.model.result.record(0) is not None

    def show_query(self, history: History) -> None:
        """Another query is in force; its rows are to come, and what went wrong before is over with them."""
        self.history = history
        self._is_notice_old = self.notice.isVisible()
        self.editing.show_query(history.present)
        self.around.facets.show_query(history.present)
        self.model.show_order(history.present.order)
        self.commands.offer_queries(history)

    def show_loading(self, *, other_rows: bool = False) -> None:
        """Rows that hold the place of those to come; a result that is there stays unless there are others."""
        if self.model.result is None:
            self._wait_for_rows()
        elif other_rows and not self._late.isActive():
            self._late.start()

    def show_result(self, result: Result, *, keep_place: bool = True) -> None:
        """Other rows; what was selected and in sight stays so where it is still there and may stay."""
        self._late.stop()
        self._drop_old_notice()
        self.around.allow(allowed=True)
        self.newer.show_newer(Newer(0))
        self._place = Place.of(self.table, self.model.result, self._place) if keep_place else Place()
        self.model.show_result(result)
        if keep_place:
            self._place.scroll(self.table, result)
        else:
            self.table.scrollToTop()
        self._select_again(result)
        self.show_count()
        self.editing.tell_names()
        self.commands.offer_rows(there=bool(result.rows))
        if result.rows:
            self.bring_rows()
        else:
            self.pictures.show_empty(self.editing.query, self.editing.seen)
            self.bring_picture()
        self.table.tell_again()
        self.result_shown.emit()

    def show_again(self, result: Result) -> None:
        """Rows that were there before those that nobody waits for any more, at their place."""
        if self.model.result is result:
            self._late.stop()
        else:
            self.show_result(result)

    def show_page(self, number: int) -> None:
        """The events of one page have come; those of rows that have gone meanwhile are nobody's business."""
        if self.model.result is None:
            return
        self.model.show_page(number)
        self._select_again(self.model.result)
        self.show_count()
        self.editing.tell_names()
        # Rows are painted first; what stands beside them comes in the turn after.
        QTimer.singleShot(0, self.table, self.table.tell_arrived)

    def show_count(self, everything: int | None = None) -> None:
        """The number of rows has become known, or of ``everything`` there is."""
        self.model.show_rows()
        self.count.show_result(self.model.result, everything)

    def show_failure(self, said: ErrorMessage) -> None:
        """Nothing can be shown, and why."""
        self._leave_rows()
        self.pictures.show_failure(said)

    def show_forbidden(self, said: ErrorMessage) -> None:
        """The user may not see events."""
        self._leave_rows()
        self.around.allow(allowed=False)
        self.pictures.show_forbidden(said)

    def show_given_up(self) -> None:
        """Nobody waits any longer for the first rows."""
        self._leave_rows()
        self.pictures.show_given_up()

    def show_outside(self, details: Details, say: Callable[[], str], offer: Callable[[], str]) -> None:
        """Shows an event that is not among the rows; what was selected before is not selected again."""
        self._place = Place()
        super().show_outside(details, say, offer)

    def show_signed_out(self, said: ErrorMessage, *, rows_stay: bool = True) -> None:
        """The session is lost; rows that are there stay, unless they answer another query."""
        self._late.stop()
        if self.has_rows and rows_stay:
            self._signed_out = said.title
            self.notice.show_failure(said)
        else:
            self._leave_rows()
            self.pictures.show_signed_out(said)

    def show_trouble(self, cause: str, say: Callable[[], ErrorMessage]) -> None:
        """Tells what went wrong in some work, until ``end_trouble`` for the same ``cause``."""
        self.notice.show_words("danger", say)
        self._trouble = cause, self.notice.text

    def end_trouble(self, cause: str) -> None:
        """The work went well this time; a notice of anything else stays."""
        if self._trouble == (cause, self.notice.text):
            self.notice.hide()
            self._trouble = "", ""

    def forget_signed_out(self) -> None:
        """Somebody is signed in again; a notice of anything else stays."""
        if self._signed_out and self.notice.title == self._signed_out:
            self.notice.hide()
        self._signed_out = ""

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Who comes to the page has its rows under the arrow keys."""
        super().showEvent(event)
        if not event.spontaneous():
            self.table.setFocus()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.columns.retranslate()
            self.filters.retranslate()
            self.editing.show_query(self.editing.query)
            self.table.setAccessibleName(self.tr("Events"))
            self.table.viewport().update()

    def _wait_for_rows(self) -> None:
        self._place = Place.of(self.table, self.model.result, self._place)
        self.model.show_waiting(_WAITING)
        self.bring_rows()
        self.count.show_loading()
        self._offer_nothing()
        self.table.tell_again()

    def _drop_old_notice(self) -> None:
        """Whoever has asked for other rows and has them has gone on; good news pass by themselves."""
        if self._is_notice_old and not self.notice.is_passing:
            self.notice.hide()
        self._is_notice_old = False

    def _offer_nothing(self) -> None:
        self.commands.offer_rows(there=False)
        self.rows_gone.emit()

    def _leave_rows(self) -> None:
        self._offer_nothing()
        self._late.stop()
        self.newer.show_newer(Newer(0))
        self.model.show_waiting(0)
        self.count.clear()
        self.bring_picture()

    def _select_again(self, result: Result) -> None:
        if self._place.select(self.table, result):
            self._place = Place()
