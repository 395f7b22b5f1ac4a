"""The page of the event browser: its parts and where they are."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QVBoxLayout

from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.queries.completion import Completion, completions
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import COLUMN_ACTIONS, ColumnMenuController
from cdb_desktop.ui.events.browser.table import number_of_rows, selected_ranges
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.filters.controller import FilterController
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.filters.highlights import HighlightController
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.panels import InspectorPlacement, Panels, PanelsButton
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.time_span import TimeSpan


class EventsView(BrowserView):
    """Filter bar, rows and inspector with the panels around them, and the actions that need no service."""

    inspector: Inspector

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__(appearance, settings, actions, Inspector(appearance))
        self.query_line = QueryLine(appearance, self._completions, self)
        self.filter_bar = FilterBar(appearance, actions["filter"], actions["clear_filters"], self)
        self.rows_area.addWidget(self.inspector)
        self.panels = Panels(self.stack, appearance, settings, actions, self)
        self._arrange(self._bar())
        InspectorPlacement(
            self.rows_area, self.inspector, actions["inspector"], settings, lambda: self.columns.needed_width
        )
        self.filter_controller = FilterController(
            self, self.query_line, self.filter_bar, self.panels.facets.known
        )
        self.highlighting = HighlightController(self)
        ColumnMenuController(self)
        self.action_states = EventActionStates(self)
        self._connect(actions)

    def _connect(self, actions: Actions) -> None:
        table, inspector, facets = self.table, self.inspector, self.panels.facets
        self.query_shown.connect(lambda history: facets.show_query(history.present))
        self.access_changed.connect(self.panels.allow)
        facets.query_requested.connect(self.query_requested)
        self.panels.histogram.span_chosen.connect(self._filter_by_span)
        self.filter_bar.value_requested.connect(self.query_line.take_focus)
        self.query_line.left.connect(self.table.setFocus)
        table.inspect_requested.connect(self.open_inspector)
        table.leave_requested.connect(self._leave)
        inspector.close_requested.connect(self._close_inspector)
        inspector.links.schema_requested.connect(self.schema_requested)
        inspector.links.object_requested.connect(self.search_object)
        inspector.previous_requested.connect(lambda: table.step(-1))
        inspector.next_requested.connect(lambda: table.step(1))
        on_key("Alt+Up", self, lambda: table.step(-1), inside=True)
        on_key("Alt+Down", self, lambda: table.step(1), inside=True)
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        actions["show_file"].triggered.connect(self.notice.show_folder)

    def _completions(self, text: str, cursor: int) -> Sequence[Completion]:
        return completions(text, cursor, self.seen, self.seen.events_of_types, language())

    def _filter_by_span(self, span: TimeSpan) -> None:
        self.query_requested.emit(replace(self.query, span=span))

    def _leave(self) -> None:
        """Escape: cancels loading, or closes the notice, the inspector or the requests."""
        actions, result = self.actions_by_name, self.model.result
        if self.table.is_waiting or (isinstance(result, MatchedResult) and result.total is None):
            self.give_up_requested.emit()
        elif self.notice.isVisible():
            self.notice.hide()
        elif self.inspector.isVisible():
            self._close_inspector()
        elif actions["requests"].isChecked():
            actions["requests"].setChecked(False)

    def _close_inspector(self) -> None:
        self.actions_by_name["inspector"].setChecked(False)
        self.table.setFocus()

    def _bar(self) -> Toolbar:
        bar = Toolbar(self)
        bar.add(self.query_line, stretch=1)
        bar.add(self.filter_bar.add_button, gap=TIGHT)
        bar.add(self.count, gap=GROUP)
        self.panels_button = PanelsButton(self.appearance, self.actions_by_name, bar)
        bar.add(self.panels_button, gap=GAP)
        bar.add(self.views_button, self.share_button)
        self._tools = [
            ActionButton(self.actions_by_name[name], bar) for name in ("export", "inspector", "refresh")
        ]
        bar.add(*self._tools)
        return bar

    def _arrange(self, bar: Toolbar) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        # Notices appear below the rows, which therefore do not move under the pointer.
        for widget in (bar, self.filter_bar, self.panels, self.interrupted, self.notice):
            layout.addWidget(widget)
        panels = self.panels
        rows = (self.table.title_cursor, self.table, self.inspector)
        above = panels.histogram, panels.facets
        line = (
            *(self.query_line, self.filter_bar.add_button, self.filter_bar),
            *(self.panels_button, self.views_button, self.share_button),
        )
        set_tab_order(*line, *self._tools, *above, *rows, panels.requests)


_WITH_ROWS = ("export", "export_options", "jump", "summary", "delete_found", *COLUMN_ACTIONS)
_WITH_SELECTION = ("delete_selected", "share_event", "share_ticket")


class EventActionStates(QObject):
    """Enables actions according to the query, the rows, and the selection."""

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        self._set("show_file", possible=False)
        view.notice.file_written.connect(self._offer_file)
        view.query_shown.connect(self._follow_query)
        view.result_shown.connect(self._follow_rows)
        view.rows_gone.connect(self._follow_rows)
        view.table.rows_selected.connect(self.follow_selection)
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        view.actions_by_name["inspector"].toggled.connect(self.follow_selection)
        self.follow_selection()

    def follow_selection(self, _changed: object = None) -> None:
        """Updates the actions that depend on the selection or on the event outside the rows."""
        selected = number_of_rows(selected_ranges(self._view.table))
        for name in _WITH_SELECTION:
            self._set(name, possible=bool(selected) or self._view.outside is not None)
        self._set("compare", possible=selected in (1, 2))

    def _follow_query(self, history: QueryHistory) -> None:
        self._set("clear_filters", possible=bool(history.present.parts))
        self._set("query_back", possible=bool(history.past))
        self._set("query_forward", possible=bool(history.future))

    def _follow_rows(self) -> None:
        result = self._view.model.result
        for name in _WITH_ROWS:
            self._set(name, possible=result is not None and result.rows > 0)

    def _offer_file(self) -> None:
        self._set("show_file", possible=True)

    def _set(self, name: str, *, possible: bool) -> None:
        self._view.actions_by_name.set_possible(name, possible, "" if possible else obstacle(name))


def obstacle(name: str) -> str:
    """Why an action is not possible; actions that are not listed need rows."""
    return {
        "delete_selected": tr("Select the events to delete first."),
        "share_event": tr("Select an event first."),
        "share_ticket": tr("Select the events for the ticket first."),
        "compare": tr("Select one or two events first."),
        "clear_filters": tr("No filter is set."),
        "show_file": tr("No file has been written since the program started."),
        "query_back": tr("There are no earlier filters."),
        "query_forward": tr("There are no later filters."),
    }.get(name, tr("No events are listed."))
