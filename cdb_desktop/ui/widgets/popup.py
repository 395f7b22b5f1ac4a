"""Frames of popups."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from cdb_desktop.ui.theme.appearance import Appearance


class OutlinedFrame(QFrame):
    """The frame of a popup; the style's own outline cannot be seen in dark themes."""

    def __init__(self, appearance: Appearance, parent: QWidget, kind: Qt.WindowType) -> None:
        super().__init__(parent, kind)
        self._look = appearance

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paints the outline."""
        with QPainter(self) as painter:
            painter.setPen(QColor(self._look.tokens.handle))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
