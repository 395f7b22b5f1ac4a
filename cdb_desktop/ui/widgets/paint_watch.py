"""Reports the first painting of a widget with content."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget


class PaintWatch(QObject):
    """Watches one widget until it has been painted while ``has_something`` was true.

    Signals: ``painted`` once, after the painting.
    """

    painted = Signal()

    def __init__(self, widget: QWidget, has_something: Callable[[], bool]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._has_something = has_something
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Emits ``painted`` in the next iteration of the event loop: filters are called before painting."""
        if event.type() == QEvent.Type.Paint and self._has_something():
            self._widget.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)
        return False
