"""What stands around the rows: overview above, values at the left, search and requests below. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.facet_panel import FacetPanel
from cdb_desktop.ui.events.histogram import Histogram
from cdb_desktop.ui.events.request_panel import RequestPanel
from cdb_desktop.ui.events.search_panel import SearchPanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.split import Split
from cdb_desktop.vocabulary.pattern import Kind

_FACETS, _SEARCH = 210, 220  # pixels
_LOWEST = 60  # pixels that the parts beside the rows are content with
_ROWS = 7  # titles, a scroll bar and five rows stay in sight as long as there is room
_SIZES = "events/panels"


class Surroundings(QWidget):
    """Parts that can be shown and hidden around ``rows``; whether they are is remembered.

    Signals: ``opened`` when overview or values have come into sight, ``closed`` when one of them has gone.
    """

    opened = Signal()
    closed = Signal()

    def __init__(
        self, rows: QWidget, appearance: Appearance, settings: QSettings, actions: Actions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._appearance = appearance
        self._actions = actions
        self.histogram = Histogram(appearance, self)
        self.facets = FacetPanel(appearance, self)
        self.search = SearchPanel(appearance, self)
        self.requests = RequestPanel(appearance, self)
        self._across = _splitter(Qt.Orientation.Horizontal, self, self.facets, rows)
        self._down = _splitter(Qt.Orientation.Vertical, self, self._across, self.search, self.requests)
        self._across.setSizes([_FACETS, 5 * _FACETS])
        self._across.setStretchFactor(1, 1)
        # What parts need beside each other must not add up to a window larger than the screen.
        self.facets.setMinimumHeight(_LOWEST)
        rows.setMinimumHeight(_LOWEST)
        self._keep_sizes()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.histogram)
        layout.addWidget(self._down, stretch=1)
        self.search.hide()
        self._follow(actions["overview"], self.histogram, shown=True)
        self._follow(actions["facets"], self.facets, shown=False)
        self._follow(actions["requests"], self.requests, shown=False)
        # Methods of an object: actions outlive the browser, and Qt lets go of those by itself.
        actions["overview"].toggled.connect(self._show_overview)
        actions["facets"].toggled.connect(self._show_facets)
        actions["requests"].toggled.connect(self._show_requests)
        self._retranslate()

    def open_search(self) -> None:
        """The search stands below the rows and takes what is typed."""
        self.search.show()
        self._leave_room()
        self.search.take_focus()

    def allow(self, *, allowed: bool) -> None:
        """Whether the user may see events; who may not is shown no empty parts around them."""
        self.histogram.setVisible(allowed and self._actions["overview"].isChecked())
        self.facets.setVisible(allowed and self._actions["facets"].isChecked())
        if not allowed:
            self.search.hide()

    def search_for(self, text: str) -> None:
        """Opens the search and looks for a key with its value."""
        self.open_search()
        self.search.look_for(text, Kind.KEY)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follows the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a lower window the panels become lower before the rows are gone."""
        super().resizeEvent(event)
        self._leave_room()

    def _keep_sizes(self) -> None:
        self._down.setSizes([3 * _SEARCH, _SEARCH, _SEARCH])
        self._down.setStretchFactor(0, 1)
        kept = self._settings.value(_SIZES)
        if isinstance(kept, QByteArray):
            self._down.restoreState(kept)
        self._down.splitterMoved.connect(lambda: self._settings.setValue(_SIZES, self._down.saveState()))

    def _leave_room(self) -> None:
        """Takes from the panels what the rows lack, as far as they can do without."""
        if not self.isVisible():
            return
        self._down.refresh()  # a panel that has just been shown has no size yet
        sizes = self._down.sizes()
        lacking = _ROWS * self._appearance.row - sizes[0]
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
            self.tr("Events over time: arrows move, Shift widens, Return sets the dates")
        )


def _splitter(way: Qt.Orientation, parent: QWidget, *parts: QWidget) -> Split:
    splitter = Split(way, parent)
    for part in parts:
        splitter.addWidget(part)
    return splitter
