"""What the event browser looks like: chips, table, inspector, or a picture in their place. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSettings, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.client import Event, Record
from cdb_desktop.events.copy_forms import CopyForm
from cdb_desktop.events.history import History
from cdb_desktop.events.newer import Newer
from cdb_desktop.events.pages import Result
from cdb_desktop.events.query import NEWEST_FIRST, Query, sorted_by
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser_table import BrowserTable
from cdb_desktop.ui.events.column_setup import ColumnSetup
from cdb_desktop.ui.events.commands import Commands
from cdb_desktop.ui.events.count_label import CountLabel
from cdb_desktop.ui.events.filter_bar import FilterBar
from cdb_desktop.ui.events.filter_editing import FilterEditing
from cdb_desktop.ui.events.inspector import Inspector
from cdb_desktop.ui.events.kept_inspector import KeptInspector
from cdb_desktop.ui.events.model import ResultModel
from cdb_desktop.ui.events.newer_bar import NewerBar
from cdb_desktop.ui.events.pictures import Pictures
from cdb_desktop.ui.events.place import Place
from cdb_desktop.ui.events.row_menu import offer_more, row_menu
from cdb_desktop.ui.events.surroundings import Surroundings
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.bar import ActionButton, Bar
from cdb_desktop.ui.widgets.notice_bar import NoticeBar
from cdb_desktop.ui.widgets.offer_bar import OfferBars
from cdb_desktop.ui.widgets.shortcut import on_key
from cdb_desktop.ui.widgets.split import Split
from cdb_desktop.ui.widgets.tab_order import in_tab_order
from cdb_desktop.vocabulary.references import key_of_object
from cdb_desktop.vocabulary.sentences import Sentence

_WAITING = 60
_LOWEST = 60  # pixels that the inspector is content with in a low window
_PATIENCE = 150  # milliseconds that the old rows stand for before those to come hold their place


class EventsView(QWidget):
    """The page of the event browser.

    Signals: ``rows_shown`` (first, last) when rows have come to rest in sight · ``again_requested`` when the
    way out of a failure is taken · ``query_requested`` (Query) · ``history_requested`` (-1 back, 1 forward) ·
    ``copy_requested`` (CopyForm) · ``jump_requested`` · ``export_requested`` ·
    ``record_chosen`` (Record or None) when the inspector needs a record · ``event_requested`` (id) to go to ·
    ``schema_requested`` (Event) for the version that a commit has made ·
    ``everything_requested`` (Event) for rows without filters, and this event among them ·
    ``highlighted`` with the texts of the rules that mark rows, by tone, when they are other ones ·
    ``rows_gone`` when no rows are in sight any more.
    """

    rows_shown = Signal(int, int)
    again_requested = Signal()
    query_requested = Signal(object)
    history_requested = Signal(int)
    copy_requested = Signal(object)
    jump_requested = Signal()
    export_requested = Signal()
    record_chosen = Signal(object)
    event_requested = Signal(object)
    schema_requested = Signal(object)
    everything_requested = Signal(object)
    highlighted = Signal(object)
    rows_gone = Signal()

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self.appearance = appearance
        self.settings = settings
        self.actions_by_name = actions
        self.model = ResultModel(self)
        self.table = BrowserTable(self.model, appearance, self)
        self.inspector = Inspector(appearance, self)
        self.filters = FilterBar(appearance, actions["filter"], actions["clear_filters"], self)
        self.editing = FilterEditing(appearance, self.filters, lambda: self.table.current_event)
        self.count = CountLabel(self)
        self.pictures = Pictures(appearance, self)
        self.notice = NoticeBar(appearance, self)
        self.interrupted = OfferBars(appearance, self)
        self.newer = NewerBar(appearance, actions["refresh"], self)
        self.history = History()
        self._place = Place()
        self._signed_out = ""
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._arrange(settings)
        self.columns = ColumnSetup(self.table, self.model, settings)
        KeptInspector(self._splitter, self.inspector, actions["inspector"], settings)
        self.commands = Commands(actions, self.table, self.inspector, self.editing)
        self._connect()

    @property
    def has_rows(self) -> bool:
        """Whether events stand in the table."""
        return self.model.result is not None and self.model.result.record(0) is not None

    def show_query(self, history: History) -> None:
        """Another query is in force; its rows are to come."""
        self.history = history
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
            self._stack.setCurrentWidget(self._splitter)
        else:
            self.pictures.show_empty(self.editing.query, self.editing.seen)
            self._stack.setCurrentWidget(self.pictures)
        self.table.tell_again()

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
        self.table.tell_arrived()

    def show_count(self, everything: int | None = None) -> None:
        """The number of rows has become known, or of ``everything`` there is."""
        self.model.show_rows()
        self.count.show_result(self.model.result, everything)

    def show_failure(self, said: Sentence) -> None:
        """Nothing can be shown, and why."""
        self._leave_rows()
        self.pictures.show_failure(said)

    def show_forbidden(self, said: Sentence) -> None:
        """The user may not see events."""
        self._leave_rows()
        self.around.allow(allowed=False)
        self.pictures.show_forbidden(said)

    def show_given_up(self) -> None:
        """Nobody waits any longer for the first rows."""
        self._leave_rows()
        self.pictures.show_given_up()

    def show_signed_out(self, said: Sentence, *, rows_stay: bool = True) -> None:
        """The session is lost; rows that are there stay, unless they answer another query."""
        self._late.stop()
        if self.has_rows and rows_stay:
            self._signed_out = said.title
            self.notice.show_failure(said)
        else:
            self._leave_rows()
            self.pictures.show_signed_out(said)

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
        self._stack.setCurrentWidget(self._splitter)
        self.count.show_loading()
        self._offer_nothing()
        self.table.tell_again()

    def _offer_nothing(self) -> None:
        self.commands.offer_rows(there=False)
        self.rows_gone.emit()

    def _leave_rows(self) -> None:
        self._offer_nothing()
        self._late.stop()
        self.newer.show_newer(Newer(0))
        self.model.show_waiting(0)
        self.count.clear()
        self._stack.setCurrentWidget(self.pictures)

    def _select_again(self, result: Result) -> None:
        if self._place.select(self.table, result):
            self._place = Place()

    def _ask(self, query: Query) -> None:
        self.query_requested.emit(query)

    def _copy(self, form: CopyForm) -> None:
        self.copy_requested.emit(form)

    def _open_menu(self, record: Record, place: QPoint) -> None:
        menu = row_menu(self, record, self.editing.query, self._ask, self._copy)
        if isinstance(record, Event):
            offer_more(menu, record, self.actions_by_name, self._lead_to_schema, self.lead_to_object)
        menu.popup(place)

    def _lead_to_schema(self, event: Event) -> None:
        self.schema_requested.emit(event)

    def lead_to_object(self, event: Event) -> None:
        """Finds all that happened to an object.

        The list has no filter by object (§4.3), so all is searched; filters would hide a part of it.
        """
        self.search_everything(key_of_object(event), event)

    def search_everything(self, keys: str, event: Event) -> None:
        """Finds all events that have such keys with values; ``event`` is one of them and stays in sight."""
        is_filtered = bool(self.editing.query.parts)
        self.around.search_for(keys, was_filtered=is_filtered)
        if is_filtered:
            self.everything_requested.emit(event)

    def _choose(self, record: Record | None) -> None:
        if self.inspector.isVisibleTo(self._splitter):
            self.record_chosen.emit(record)

    def _show_current(self) -> None:
        self._choose(self.table.current_record)

    def _connect(self) -> None:
        table, editing, inspector, commands = self.table, self.editing, self.inspector, self.commands
        commands.history_requested.connect(self.history_requested)
        commands.export_requested.connect(self.export_requested)
        commands.jump_requested.connect(self.jump_requested)
        commands.inspector_toggled.connect(self._show_current)
        table.rows_shown.connect(self.rows_shown)
        table.copy_requested.connect(self.copy_requested)
        table.menu_requested.connect(self._open_menu)
        table.rows_selected.connect(self.count.show_selected)
        table.record_chosen.connect(self._choose)
        table.sort_requested.connect(
            lambda field, also: self.query_requested.emit(sorted_by(editing.query, field, also=also))
        )
        editing.query_requested.connect(self.query_requested)
        self.pictures.again_requested.connect(self.again_requested)
        self.pictures.clear_requested.connect(editing.clear)
        self.newer.clicked.connect(self._show_newer)
        self._late.timeout.connect(self._wait_for_rows)
        inspector.links.schema_requested.connect(self.schema_requested)
        inspector.links.object_requested.connect(self.lead_to_object)
        inspector.previous_requested.connect(lambda: table.step(-1))
        inspector.next_requested.connect(lambda: table.step(1))
        on_key("Alt+Up", self, lambda: table.step(-1), inside=True)
        on_key("Alt+Down", self, lambda: table.step(1), inside=True)

    def _show_newer(self) -> None:
        first = self.editing.query.order[0]
        if first.descending and first.field in (NEWEST_FIRST.field, "timestamp"):
            self.table.scrollToTop()
        self.again_requested.emit()

    def _arrange(self, settings: QSettings) -> None:
        self._splitter = Split(parent=self)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.inspector)
        self.inspector.setMinimumHeight(_LOWEST)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self.pictures)
        self.around = Surroundings(self._stack, self.appearance, settings, self.actions_by_name, self)
        self.table.setAccessibleName(self.tr("Events"))
        bar = Bar(self)
        bar.add(self.filters, stretch=1)
        bar.add(self.count, gap=GROUP)
        self.views_button = ActionButton(self.actions_by_name["views"], bar)
        bar.add(self.views_button)
        bar.add(
            *(ActionButton(self.actions_by_name[name], bar) for name in ("export", "inspector", "refresh"))
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        # Notices come and go below the rows, which therefore stay where the pointer is.
        for widget in (bar, self.around, self.interrupted, self.notice, self.newer):
            layout.addWidget(widget)
        around = self.around
        rows = (self.table.title_cursor, self.table, self.inspector)
        above, below = (around.histogram, around.facets), (around.search, around.requests)
        in_tab_order(self.filters, bar, *above, *rows, *below)
