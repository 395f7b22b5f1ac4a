"""The ground of a small sheet that opens over others, with a line that is seen in every theme."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from cdb_desktop.ui.theme.appearance import Appearance


class OutlinedFrame(QFrame):
    """The style's own frame is too dark to be seen on dark grounds."""

    def __init__(self, appearance: Appearance, parent: QWidget, kind: Qt.WindowType) -> None:
        super().__init__(parent, kind)
        self._look = appearance

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The line."""
        with QPainter(self) as painter:
            painter.setPen(QColor(self._look.tokens.handle))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
