"""The base of the command palette and of the overlay of keys."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget
from shiboken6 import isValid

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, MARGIN
from cdb_desktop.ui.widgets.input_handling import on_key

_ROUND = 8
_FROM_TOP = 48


class Overlay(QFrame):
    """A frame in the upper middle of its window; Escape closes it."""

    def __init__(self, window: QWidget, appearance: Appearance, width: int) -> None:
        super().__init__(window)
        self._over = window
        self._appearance = appearance
        self._width = width
        self._before: QWidget | None = None
        self._application = cast("QApplication", QApplication.instance())
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(GAP, GAP, GAP, GAP)
        self.column.setSpacing(GAP)
        on_key("Escape", self, self.close_overlay, inside=True)
        self.hide()

    def open_overlay(self, first: QWidget) -> None:
        """Shows the overlay with the focus on ``first``."""
        self._before = QApplication.focusWidget()
        # Not before, since the overlay is still being created then.
        self._over.installEventFilter(self)
        self.fit()
        self.show()
        self.raise_()
        first.setFocus(Qt.FocusReason.PopupFocusReason)
        self._application.focusChanged.connect(self._follow_focus)

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Closes when another widget of the window gets the focus, for which Escape is meant then."""
        if now is not None and now.window() is self.window() and not self.isAncestorOf(now):
            self.close_overlay()

    def close_overlay(self) -> None:
        """Hides the overlay and returns the focus."""
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        inside = focus is None or self.isAncestorOf(focus)
        before, self._before = self._before, None
        self.hide()
        self._over.removeEventFilter(self)
        self._application.focusChanged.disconnect(self._follow_focus)
        # The widget may have been deleted with its connection.
        if inside and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Keeps its place when the window is resized."""
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.handle), 1))
            painter.setBrush(QColor(tokens.ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)

    @property
    def inner_width(self) -> int:
        """The width for the contents in a window of this size."""
        return min(self._width, self._over.width() - 2 * MARGIN) - 2 * GAP

    def fit(self) -> None:
        """Takes the size that the contents need, as far as the window allows."""
        window = self._over
        width = self.inner_width + 2 * GAP
        self.column.activate()
        height = min(self.column.sizeHint().height(), window.height() - _FROM_TOP - MARGIN)
        self.setGeometry((window.width() - width) // 2, _FROM_TOP, width, height)
