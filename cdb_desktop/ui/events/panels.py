"""The panels around the rows: overview above, facets at the left, search and requests below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.requests.request_panel import RequestPanel
from cdb_desktop.ui.events.search.messages import filters_removed_text
from cdb_desktop.ui.events.search.panel import SearchPanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.layout import Splitter
from cdb_desktop.vocabulary.pattern import PatternKind

_SEARCH, _ROWS_WIDTH = 220, 1050  # pixels
_SEARCH_PART = 0.4  # of the height, until the user moves its edge
_LEAST_HITS = 9  # the search line, titles and six hits, if there is enough space
_ROWS_PART = 0.33  # of the height remains for the rows in a low window
_LOWEST = 60  # minimum width in pixels of the parts beside the rows
_ROWS = 7  # titles, a scroll bar and five rows stay visible if there is enough space
_SIZES, _WIDTHS = "events/panels", "events/values/width"


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
        self.search = SearchPanel(appearance, self)
        self.requests = RequestPanel(appearance, self)
        self._across = _splitter(Qt.Orientation.Horizontal, self, self.facets, rows)
        self._down = _splitter(Qt.Orientation.Vertical, self, self._across, self.search, self.requests)
        self._across.setSizes([self.facets.sizeHint().width(), _ROWS_WIDTH])
        self._across.setStretchFactor(1, 1)
        # The minimum widths of the parts must not make the window larger than the screen.
        self.facets.setMinimumHeight(_LOWEST)
        rows.setMinimumHeight(_LOWEST)
        self._keep_sizes()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.histogram)
        layout.addWidget(self._down, stretch=1)
        self.search.hide()
        actions["query_back"].triggered.connect(self.search.show_rule)
        self._follow(actions["overview"], self.histogram, shown=True)
        self._follow(actions["facets"], self.facets, shown=False)
        self._follow(actions["requests"], self.requests, shown=False)
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        actions["overview"].toggled.connect(self._show_overview)
        actions["facets"].toggled.connect(self._show_facets)
        actions["requests"].toggled.connect(self._show_requests)
        self._retranslate()

    def open_search(self) -> None:
        """Opens the search and gives it the focus."""
        if self.search.isHidden() and not self._settings.contains(_SIZES):
            self._set_search_height()
        self.search.show()
        self._leave_room()
        self.search.take_focus()

    def ask_value(self) -> None:
        """Opens the search for keys with values: the service filters by few fields (§4.3)."""
        self.open_search()
        self.search.expect(PatternKind.KEY)

    def allow(self, allowed: bool) -> None:
        """Hides the panels of a user who may not see events."""
        self.histogram.setVisible(allowed and self._actions["overview"].isChecked())
        self.facets.setVisible(allowed and self._actions["facets"].isChecked())
        if not allowed:
            self.search.hide()

    def search_for(self, text: str, *, was_filtered: bool, kind: PatternKind = PatternKind.KEY) -> None:
        """Opens the search and searches the whole log."""
        self.open_search()
        self.search.look_for(text, kind)
        if was_filtered:
            key = self._actions["query_back"].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            self.search.hint.show_text(partial(filters_removed_text, key), "warning")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Makes the panels lower in a lower window, so that rows stay visible."""
        super().resizeEvent(event)
        self._keep_rows_in_place(event.size().height() - event.oldSize().height())
        self._leave_room()
        self._wide.start()

    def _keep_sizes(self) -> None:
        self._down.setSizes([3 * _SEARCH, _SEARCH, _SEARCH])
        self._down.setStretchFactor(0, 1)
        kept = self._settings.value(_SIZES)
        if isinstance(kept, QByteArray):
            self._down.restoreState(kept)
        kept = self._settings.value(_WIDTHS)
        self._is_wide = isinstance(kept, QByteArray) and self._across.restoreState(kept)
        self._across.splitterMoved.connect(self._remember_width)
        # The splitter has its new width only then.
        self._wide = QTimer(self, singleShot=True, interval=0)
        self._wide.timeout.connect(self._widen)
        self._down.splitterMoved.connect(lambda: self._settings.setValue(_SIZES, self._down.saveState()))

    def _set_search_height(self) -> None:
        self.search.show()
        self._down.refresh()
        sizes = self._down.sizes()
        wanted = max(round(_SEARCH_PART * sum(sizes)), _LEAST_HITS * self._appearance.row)
        self._down.setSizes([sizes[0] + sizes[1] - wanted, wanted, sizes[2]])

    def _remember_width(self) -> None:
        self._is_wide = True
        self._settings.setValue(_WIDTHS, self._across.saveState())

    def _widen(self) -> None:
        """Makes the facets as wide as their names need, unless the user has chosen a width."""
        if not self._is_wide and self.facets.isVisible():
            width = self.facets.sizeHint().width()
            self._across.setSizes([width, max(1, self._across.width() - width)])

    def _keep_rows_in_place(self, more: int) -> None:
        """Shrinks the lowest panel to show notices, so that no rows move under the pointer."""
        window = self.window().height()
        is_by_window, self._window = window != self._window, window
        panels = ((1, self.search), (2, self.requests))
        shown = [(place, panel) for place, panel in panels if panel.isVisible()]
        if is_by_window or not more or not shown:
            return
        lowest, panel = shown[-1]
        self._down.refresh()
        sizes = self._down.sizes()
        sizes[0] -= more
        sizes[lowest] += more
        if sizes[lowest] >= panel.minimumSizeHint().height():
            self._down.setSizes(sizes)

    def _leave_room(self) -> None:
        """Shrinks the panels until the rows have their minimum height, as far as possible."""
        if not self.isVisible():
            return
        self._down.refresh()  # a panel that has just been shown has no size yet
        sizes = self._down.sizes()
        reserved = min(_ROWS * self._appearance.row, round(_ROWS_PART * sum(sizes)))
        lacking = reserved - sizes[0]
        for place, panel in ((1, self.search), (2, self.requests)):
            taken = max(0, min(lacking, sizes[place] - panel.minimumSizeHint().height()))
            if taken and panel.isVisible():
                sizes[place] -= taken
                sizes[0] += taken
                lacking -= taken
        if sizes != self._down.sizes():
            self._down.setSizes(sizes)

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

    def _retranslate(self) -> None:
        self.histogram.setAccessibleName(
            tr("Events over time: arrows move, Shift widens, Return sets the dates")
        )


def _splitter(way: Qt.Orientation, parent: QWidget, *parts: QWidget) -> Splitter:
    splitter = Splitter(way, parent)
    for part in parts:
        splitter.addWidget(part)
    return splitter
