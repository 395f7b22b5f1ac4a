"""Scrolls a view while the pointer drags something near one of its edges."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtWidgets import QWidget

_EDGE = 12  # pixels beside an edge in which it scrolls
_INTERVAL = 30  # milliseconds

# Scrolls by pixels; the pointer stays at a point with the modifier keys of its last move.
Scroll = Callable[[QPoint, QPointF, Qt.KeyboardModifier], None]


class EdgeScroll(QObject):
    """Calls ``scroll`` again and again; the nearer the pointer is to the edge, the farther it goes."""

    def __init__(self, viewport: QWidget, scroll: Scroll) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._scroll = scroll
        self._at = QPointF()
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._timer = QTimer(self, interval=_INTERVAL)
        self._timer.timeout.connect(self._step)

    def follow(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Scrolls or stops, depending on where the pointer is."""
        self._at, self._modifiers = at, modifiers
        if self._direction() == QPoint():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Ends scrolling."""
        self._timer.stop()

    def _direction(self) -> QPoint:
        inner = self._viewport.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        x, y = round(self._at.x()), round(self._at.y())
        across = min(x - inner.left(), 0) or max(x - inner.right(), 0)
        down = min(y - inner.top(), 0) or max(y - inner.bottom(), 0)
        return QPoint(across, down)

    def _step(self) -> None:
        self._scroll(self._direction(), self._at, self._modifiers)
