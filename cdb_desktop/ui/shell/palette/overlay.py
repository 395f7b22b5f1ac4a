"""A sheet that lies over the window until it is done with; knows not what is on it."""

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


class Sheet(QFrame):
    """Stands in the upper middle of its window; Escape ends it."""

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
        on_key("Escape", self, self.close_sheet, inside=True)
        self.hide()

    def open_sheet(self, first: QWidget) -> None:
        """Shows the sheet with the focus on ``first``."""
        self._before = QApplication.focusWidget()
        # Not before: events of the window would meet a sheet that is still being made.
        self._over.installEventFilter(self)
        self.fit()
        self.show()
        self.raise_()
        first.setFocus(Qt.FocusReason.PopupFocusReason)
        self._application.focusChanged.connect(self._follow_focus)

    def _follow_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Closes when somebody goes to something else in the window: Escape then belongs to that."""
        if now is not None and now.window() is self.window() and not self.isAncestorOf(now):
            self.close_sheet()

    def close_sheet(self) -> None:
        """Hides the sheet; the focus goes back to where it was."""
        if self.isHidden():
            return
        focus = QApplication.focusWidget()
        inside = focus is None or self.isAncestorOf(focus)
        before, self._before = self._before, None
        self.hide()
        self._over.removeEventFilter(self)
        self._application.focusChanged.disconnect(self._follow_focus)
        # Where the focus was may be gone together with its connection.
        if inside and before is not None and isValid(before):
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stays in its place when the window grows."""
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A raised ground with a line around."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.handle), 1))
            painter.setBrush(QColor(tokens.ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)

    def fit(self) -> None:
        """Takes the room that the content wants, as far as the window has it."""
        window = self._over
        width = min(self._width, window.width() - 2 * MARGIN)
        self.column.activate()
        height = min(self.column.sizeHint().height(), window.height() - _FROM_TOP - MARGIN)
        self.setGeometry((window.width() - width) // 2, _FROM_TOP, width, height)
