"""Shows and hides the inspector with its action, and places it beside the rows or below them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSettings, Qt
from PySide6.QtGui import QAction

from cdb_desktop.ui.events.inspector.inspector import Inspector
from cdb_desktop.ui.widgets.layout import Splitter

_OPEN = "events/inspector"
_LOWEST, _LOWEST_BELOW = 4.2, 8.6  # least height in lines of text, which shows one field below the rows
_ROWS_WIDTH = 480  # pixels: id, time and type stay visible
_NARROW = _ROWS_WIDTH + 320  # below this width the inspector is below the rows
_BESIDE = 13  # pixels of the scroll bar and the handle
_LOW = 300  # below this height the inspector is beside the rows
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
        self._set_least_height(_LOWEST)
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
        orientation = _DOWN if width < _NARROW and height >= _LOW else _ACROSS
        if orientation is not self._splitter.orientation():
            self._splitter.setOrientation(orientation)
        self._set_least_height(_LOWEST_BELOW if orientation is _DOWN else _LOWEST)
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
        return _ROWS_WIDTH if is_dragged else max(_ROWS_WIDTH, self._needed() + _BESIDE)

    def _keep_size(self) -> None:
        orientation = self._splitter.orientation()
        self._wanted[orientation] = self._splitter.sizes()[1]
        self._settings.setValue(_KEYS[orientation], self._wanted[orientation])


def _number(stored: object) -> int:
    """A size from the settings, 0 for none."""
    return int(stored) if isinstance(stored, int | str) and str(stored).isdecimal() else 0
