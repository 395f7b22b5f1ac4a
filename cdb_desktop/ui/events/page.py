"""The parts of the event browser, each at its place, and what is asked for at them. Shows nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.record import Details
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.browser_table import BrowserTable
from cdb_desktop.ui.events.browser.column_setup import ColumnSetup
from cdb_desktop.ui.events.browser.count_label import CountLabel
from cdb_desktop.ui.events.browser.model import ResultModel
from cdb_desktop.ui.events.browser.newer_bar import NewerBar
from cdb_desktop.ui.events.browser.pictures import Pictures
from cdb_desktop.ui.events.commands import Commands
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.filters.filter_editing import FilterEditing
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.inspector.kept_inspector import KeptInspector
from cdb_desktop.ui.events.surroundings import Surroundings
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.input_handling import set_tab_order
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.ui.widgets.notice import FileNotice, NoticeStack
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.event_text import object_query


class EventsPage(QWidget):
    """All parts, with the rows or a picture in the middle, and what is asked for at them.

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
        self.editing = FilterEditing(appearance, self.filters, lambda: self.named_event)
        self.count = CountLabel(self)
        self.pictures = Pictures(appearance, self)
        self.notice = FileNotice(appearance, self)
        self.interrupted = NoticeStack(appearance, self)
        self.newer = NewerBar(appearance, actions["refresh"], self)
        self._rows = Splitter(parent=self)
        self._stack = QStackedWidget(self)
        self._fill_stack()
        self.around = Surroundings(self._stack, appearance, settings, actions, self)
        self.editing.counts_of = self.around.facets.known
        self._arrange(self._bar())
        self.columns = ColumnSetup(self.table, self.model, settings)
        KeptInspector(
            self._rows, self.inspector, actions["inspector"], settings, lambda: self.columns.needed_width
        )
        self.commands = Commands(actions, self.table, self.inspector, self.editing, self.notice)

    @property
    def has_inspector(self) -> bool:
        """Whether the inspector stands beside the rows, be they in sight or not."""
        return self.inspector.isVisibleTo(self._rows)

    @property
    def outside(self) -> Event | None:
        """The event that the inspector shows although it is not selected in the rows."""
        return self.inspector.outside if self.has_inspector else None

    @property
    def named_event(self) -> Event | None:
        """The event that is visibly chosen: the one outside the rows, or that of the current row."""
        return self.outside or self.table.current_event

    def show_outside(self, details: Details, say: Callable[[], str], offer: Callable[[], str]) -> None:
        """Shows an event that is not among the rows, of which none is chosen then."""
        self.commands.open_inspector()
        self.bring_rows()
        self.inspector.show_outside(details, say, offer)
        self.table.choose_nothing()
        self.table.tell_again()

    def bring_rows(self) -> None:
        """Rows stand in the middle."""
        self._stack.setCurrentWidget(self._rows)

    def bring_picture(self) -> None:
        """A picture stands in their place."""
        self._stack.setCurrentWidget(self.pictures)

    def lead_to_object(self, event: Event) -> None:
        """Finds all that happened to an object.

        The list has no filter by object (§4.3), so all is searched; filters would hide a part of it.
        """
        self.search_everything(object_query(event), event)

    def search_everything(self, keys: str, event: Event) -> None:
        """Finds all events that have such keys with values; ``event`` is one of them and stays in sight."""
        is_filtered = bool(self.editing.query.parts)
        self.around.search_for(keys, was_filtered=is_filtered)
        if is_filtered:
            self.everything_requested.emit(event)

    def _fill_stack(self) -> None:
        self._rows.addWidget(self.table)
        self._rows.addWidget(self.inspector)
        self._stack.addWidget(self._rows)
        self._stack.addWidget(self.pictures)

    def _bar(self) -> Toolbar:
        bar = Toolbar(self)
        bar.add(self.filters, stretch=1)
        bar.add(self.count, gap=GROUP)
        self.views_button = ActionButton(self.actions_by_name["views"], bar)
        bar.add(self.views_button)
        bar.add(
            *(ActionButton(self.actions_by_name[name], bar) for name in ("export", "inspector", "refresh"))
        )
        return bar

    def _arrange(self, bar: Toolbar) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        # Notices come and go below the rows, which therefore stay where the pointer is.
        for widget in (bar, self.around, self.interrupted, self.notice, self.newer):
            layout.addWidget(widget)
        around = self.around
        rows = (self.table.title_cursor, self.table, self.inspector)
        above, below = (around.histogram, around.facets), (around.search, around.requests)
        set_tab_order(self.filters, bar, *above, *rows, *below)
