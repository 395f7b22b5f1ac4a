"""The panels around the rows: overview above, facets at the left, requests below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QObject, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.events.overview.facet_panel import FacetPanel
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.requests import RequestPanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import ICON
from cdb_desktop.ui.widgets.layout import Splitter, lay_out

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
        self.clicked.connect(self._show)
        self._action.changed.connect(self._follow)
        self.setText(tr("Facets"))
        self._follow()

    def _show(self, checked: bool) -> None:
        self._action.setChecked(checked)

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
