"""The page of the event browser: its parts and where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QObject, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import typed_text
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.events.browser.columns_popup import COLUMN_ACTIONS, ColumnMenuController
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.filters.controller import FilterController
from cdb_desktop.ui.events.filters.filter_bar import FilterBar
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.requests import RequestPanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton
from cdb_desktop.ui.widgets.event_table.model import TONES, Marks, load_marks, save_marks
from cdb_desktop.ui.widgets.event_table.table import number_of_rows, selected_ranges
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import Label, color_text
from cdb_desktop.ui.widgets.layout import Splitter, lay_out
from cdb_desktop.ui.widgets.popup import Popup
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.ui.widgets.query_texts import polled_note
from cdb_desktop.ui.widgets.toolbar import Toolbar


class EventsView(BrowserView):
    """Filter bar, rows and inspector with the panels around them, and the actions that need no service."""

    inspector: Inspector

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__(appearance, settings, actions, Inspector(appearance))
        self.query_line = QueryLine(appearance, self.seen, self)
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
        self.panels.histogram.span_chosen.connect(
            lambda span: self.query_requested.emit(replace(self.query, span=span))
        )
        self.filter_bar.value_requested.connect(self.query_line.take_focus)
        self.query_line.left.connect(self.table.setFocus)
        table.typed.connect(self.query_line.edit)
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
        # Notices appear below the rows, which therefore do not move under the pointer.
        lay_out(QVBoxLayout(self), bar, self.filter_bar, self.panels, self.interrupted, self.notice)
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
        view.notice.file_written.connect(lambda: self._set("show_file", possible=True))
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


_REQUESTS, _ROWS_WIDTH = 220, 1050  # pixels
_ROWS_PART = 0.33  # of the height remains for the rows in a low window
_LOW = 320  # pixels of height, below which the overview is lower
_FACETS_PART = 0.26  # of the width, at most, unless the user has chosen another
_LOWEST = 60  # minimum width in pixels of the parts beside the rows
_ROWS = 7  # titles, a scroll bar and five rows stay visible if there is enough space
_SIZES, _WIDTHS = "events/requests/height", "events/values/width"


class Panels(QWidget):
    """The panels around ``rows``; their visibility and sizes are stored in the settings.

    Signals: ``opened`` when overview or facets were opened, ``closed`` when one of them was closed.
    """

    opened = Signal()
    closed = Signal()

    def __init__(
        self, rows: QWidget, appearance: Appearance, settings: QSettings, actions: Actions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._window = 0
        self._appearance = appearance
        self._actions = actions
        self.histogram = Histogram(appearance, self)
        self.facets = FacetPanel(appearance, settings, self)
        self.requests = RequestPanel(appearance, self)
        self._across = _splitter(Qt.Orientation.Horizontal, self, self.facets, rows)
        self._down = _splitter(Qt.Orientation.Vertical, self, self._across, self.requests)
        self._across.setSizes([self.facets.sizeHint().width(), _ROWS_WIDTH])
        self._across.setStretchFactor(1, 1)
        # The minimum widths of the parts must not make the window larger than the screen.
        self.facets.setMinimumHeight(_LOWEST)
        rows.setMinimumHeight(_LOWEST)
        self._keep_sizes()
        lay_out(QVBoxLayout(self), self.histogram, self._down, growing=self._down)
        self._follow(actions["overview"], self.histogram, shown=True)
        self._follow(actions["facets"], self.facets, shown=False)
        self._follow(actions["requests"], self.requests, shown=False)
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        actions["overview"].toggled.connect(self._show_overview)
        actions["facets"].toggled.connect(self._show_facets)
        actions["requests"].toggled.connect(self._show_requests)
        self.histogram.setAccessibleName(
            tr("Events over time: arrows move, Shift widens, Return sets the dates")
        )

    def allow(self, allowed: bool) -> None:
        """Hides the panels of a user who may not see events."""
        self.histogram.setVisible(allowed and self._actions["overview"].isChecked())
        self.facets.setVisible(allowed and self._actions["facets"].isChecked())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Makes the panels lower in a lower window, so that rows stay visible."""
        super().resizeEvent(event)
        self.histogram.make_low(is_low=event.size().height() < _LOW)
        self._keep_rows_in_place(event.size().height() - event.oldSize().height())
        self._leave_room()
        self._wide.start()

    def _keep_sizes(self) -> None:
        self._down.setSizes([3 * _REQUESTS, _REQUESTS])
        self._down.setStretchFactor(0, 1)
        stored = self._settings.value(_SIZES)
        if isinstance(stored, QByteArray):
            self._down.restoreState(stored)
        stored = self._settings.value(_WIDTHS)
        self._is_wide = isinstance(stored, QByteArray) and self._across.restoreState(stored)
        self._across.splitterMoved.connect(self._remember_width)
        # The splitter has its new width only then.
        self._wide = QTimer(self, singleShot=True, interval=0)
        self._wide.timeout.connect(self._widen)
        self._down.splitterMoved.connect(lambda: self._settings.setValue(_SIZES, self._down.saveState()))

    def _remember_width(self) -> None:
        self._is_wide = True
        self._settings.setValue(_WIDTHS, self._across.saveState())

    def _widen(self) -> None:
        """Makes the facets as wide as their names need, if there is room and no width has been chosen."""
        if not self._is_wide and self.facets.isVisible():
            whole = self._across.width()
            width = min(self.facets.sizeHint().width(), round(_FACETS_PART * whole))
            self._across.setSizes([width, max(1, whole - width)])

    def _keep_rows_in_place(self, more: int) -> None:
        """Shrinks the lowest panel to show notices, so that no rows move under the pointer."""
        window = self.window().height()
        is_by_window, self._window = window != self._window, window
        if is_by_window or not more or not self.requests.isVisible():
            return
        self._down.refresh()
        sizes = self._down.sizes()
        sizes[0] -= more
        sizes[1] += more
        if sizes[1] >= self.requests.minimumSizeHint().height():
            self._down.setSizes(sizes)

    def _leave_room(self) -> None:
        """Shrinks the requests until the rows have their minimum height, as far as possible."""
        if not self.isVisible():
            return
        self._down.refresh()  # a panel that has just been shown has no size yet
        sizes = self._down.sizes()
        reserved = min(_ROWS * self._appearance.row, round(_ROWS_PART * sum(sizes)))
        taken = max(0, min(reserved - sizes[0], sizes[1] - self.requests.minimumSizeHint().height()))
        if taken and self.requests.isVisible():
            self._down.setSizes([sizes[0] + taken, sizes[1] - taken])

    def _follow(self, action: QAction, part: QWidget, *, shown: bool) -> None:
        key = f"events/{action.objectName().removeprefix('action.')}"
        action.setChecked(self._settings.value(key, shown, type=bool) is True)
        part.setVisible(action.isChecked())

    def _show_overview(self, shown: bool) -> None:
        self._show(self.histogram, "events/overview", shown=shown)

    def _show_facets(self, shown: bool) -> None:
        self._show(self.facets, "events/facets", shown=shown)
        self._wide.start()

    def _show_requests(self, shown: bool) -> None:
        self._settings.setValue("events/requests", shown)
        self.requests.setVisible(shown)
        self._leave_room()

    def _show(self, part: QWidget, key: str, *, shown: bool) -> None:
        self._settings.setValue(key, shown)
        part.setVisible(shown)
        (self.opened if shown else self.closed).emit()


class PanelsButton(QToolButton):
    """Shows and hides the facets; its menu also has the overview."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.panels")
        self._action = actions["facets"]
        self.setIcon(icon("counts", appearance))
        self.setIconSize(QSize(ICON, ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.setAutoRaise(True)
        self.setCheckable(True)
        menu = QMenu(self)
        menu.setObjectName("events.panels.menu")
        for name in ("facets", "overview"):
            menu.addAction(actions[name])
        self.setMenu(menu)
        self.toggled.connect(self._action.setChecked)
        self._action.changed.connect(self._follow)
        self.setText(plain(self._action.text()))
        self._follow()

    def _follow(self) -> None:
        self.setChecked(self._action.isChecked())
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())


def _splitter(orientation: Qt.Orientation, parent: QWidget, *parts: QWidget) -> Splitter:
    splitter = Splitter(orientation, parent)
    for part in parts:
        splitter.addWidget(part)
    return splitter


_OPEN = "events/inspector"
_LOWEST_BESIDE, _LOWEST_BELOW = (
    4.2,
    8.6,
)  # least height in lines of text, which shows one field below the rows
_LEAST_ROWS_WIDTH = 480  # pixels: id, time and type stay visible
_NARROW = _LEAST_ROWS_WIDTH + 320  # below this width the inspector is below the rows
_BESIDE = 13  # pixels of the scroll bar and the handle
_LOW_SPACE = 300  # below this height the inspector is beside the rows
_PART = 0.5  # of the height, at most
_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_KEYS = {_ACROSS: "events/inspector_width", _DOWN: "events/inspector_height"}
_USUAL = {_ACROSS: 400, _DOWN: 260}


class InspectorPlacement(QObject):
    """Keeps visibility and size of ``inspector``, the second part of ``splitter``, in the settings.

    While no event is selected it is hidden, and the rows have its space. In a narrow window it is below the
    rows. It has the size chosen by the user if there is enough space; by default it leaves space for the
    columns, which are ``needed`` pixels wide.
    """

    def __init__(
        self,
        splitter: Splitter,
        inspector: Inspector,
        action: QAction,
        settings: QSettings,
        needed: Callable[[], int],
    ) -> None:
        super().__init__(splitter)
        self._needed = needed
        self._splitter = splitter
        self._inspector = inspector
        self._settings = settings
        self._set_least_height(_LOWEST_BESIDE)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 0)
        self._wanted = {
            orientation: _number(settings.value(key)) or _USUAL[orientation]
            for orientation, key in _KEYS.items()
        }
        splitter.splitterMoved.connect(self._keep_size)
        splitter.resized.connect(self._fit)
        self._is_open = settings.value(_OPEN, True, type=bool) is True
        action.setChecked(self._is_open)
        action.toggled.connect(self._open)
        inspector.filled.connect(self._show)
        self._show()

    def _open(self, is_open: bool) -> None:
        self._is_open = is_open
        self._settings.setValue(_OPEN, is_open)
        self._show()

    def _show(self, _filled: bool = False) -> None:
        self._inspector.setVisible(self._is_open and not self._inspector.is_empty)
        self._fit()

    def _fit(self) -> None:
        """Applies orientation and size."""
        width, height = self._splitter.width(), self._splitter.height()
        if not self._splitter.isVisible() or self._inspector.isHidden():
            return
        orientation = _DOWN if width < _NARROW and height >= _LOW_SPACE else _ACROSS
        if orientation is not self._splitter.orientation():
            self._splitter.setOrientation(orientation)
        self._set_least_height(_LOWEST_BELOW if orientation is _DOWN else _LOWEST_BESIDE)
        if orientation is _DOWN:
            whole, most = height, round(_PART * (height - self._splitter.handleWidth()))
        else:
            whole, most = width, max(self._inspector.minimumWidth(), width - self._rows_width())
        size = min(self._wanted[orientation], most)
        self._splitter.setSizes([whole - size, size])

    def _set_least_height(self, lines: float) -> None:
        self._inspector.setMinimumHeight(round(lines * self._inspector.fontMetrics().height()))

    def _rows_width(self) -> int:
        """The least width of the rows: all columns, unless the user has dragged the handle."""
        is_dragged = self._settings.contains(_KEYS[_ACROSS])
        return _LEAST_ROWS_WIDTH if is_dragged else max(_LEAST_ROWS_WIDTH, self._needed() + _BESIDE)

    def _keep_size(self) -> None:
        orientation = self._splitter.orientation()
        self._wanted[orientation] = self._splitter.sizes()[1]
        self._settings.setValue(_KEYS[orientation], self._wanted[orientation])


def _number(stored: object) -> int:
    """A size from the settings, 0 for none."""
    return int(stored) if isinstance(stored, int | str) and str(stored).isdecimal() else 0


_WIDTH = 380


class HighlightPopup(Popup):
    """A query line for each color, with the number that the rows show beside it."""

    def __init__(
        self, appearance: Appearance, queries: Mapping[str, Query], seen: KnownValues, parent: QWidget
    ) -> None:
        """``seen`` contains what can be completed, and the names of users."""
        super().__init__(appearance, "events.highlights", tr("Highlight rows"), tr("Apply"), parent)
        self.queries = dict(queries)  # the queries by tone, as they were when the popup was applied
        self._lines: dict[str, QueryLine] = {}
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        for number, tone in enumerate(TONES, 1):
            line = QueryLine(appearance, seen, self, name=f"events.highlight.{tone}", has_dates=False)
            line.setText(typed_text(queries.get(tone, Query())))
            line.setCursorPosition(0)
            line.setMinimumWidth(_WIDTH)
            line.setAccessibleName(tr("Query of mark {number}", number=str(number)))
            if number > 1:
                line.setPlaceholderText("")
            # While completions are open, the completer does not pass Return on to this popup.
            line.entered.connect(lambda _text: QTimer.singleShot(0, self, self._confirm_if_open))
            line.left.connect(self.cancel)
            label = Label(f"▌{number}", self)
            color_text(label, getattr(appearance.tokens, tone))
            form.addRow(label, line)
            self._lines[tone] = line
        self.add(fields)
        self.add_note(tr("A row gets the first mark whose query it matches, here and in the live feeds."))
        self.add_note(polled_note())
        reset = QPushButton(tr("None"), self, autoDefault=False)
        reset.clicked.connect(self._clear)
        self.finish(self._lines[TONES[0]], reset)

    def holds(self) -> QWidget | None:
        """The first line that has no meaning, which then says why."""
        for tone, line in self._lines.items():
            query = line.added_to(Query())
            if query is None:
                return line
            self.queries[tone] = query
        return None

    def _confirm_if_open(self) -> None:
        if self.isVisible():
            self.confirm()

    def _clear(self) -> None:
        for line in self._lines.values():
            line.clear()


class HighlightController(QObject):
    """Opens the popup and applies its queries.

    Signals: ``changed`` with the queries by tone.
    """

    changed = Signal(object)

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        view.model.show_marks(load_marks(view.settings))
        # A bound method of an object: actions outlive the page, and Qt disconnects it.
        view.actions_by_name["highlight"].triggered.connect(self.open)

    def open(self) -> None:
        """Opens the popup."""
        view = self._view
        popup = HighlightPopup(view.appearance, view.model.marks.queries, view.seen, view)
        popup.accepted.connect(lambda: self.apply(popup.queries))
        popup.open_below(view.views_button)

    def apply(self, queries: Mapping[str, Query]) -> None:
        """Marks rows by these queries."""
        marks = Marks(queries)
        save_marks(self._view.settings, marks.queries)
        self._view.model.show_marks(marks)
        self.changed.emit(marks.queries)
