"""The one filled button of a page: the next step."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP

_HEIGHT = 32
_ROUND = 4


class FilledButton(QPushButton):
    """A button in the accent colour."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setAutoDefault(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium)
        self.setFont(font)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for the text and as much again as separates groups on either side."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * GROUP, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A filled shape, lighter under the mouse, grey without use, with a ring when it has the focus."""
        tokens = self._appearance.tokens
        fill = QColor(tokens.accent if self.isEnabled() else tokens.line)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.85)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(QRectF(self.rect()), _ROUND, _ROUND)
            painter.setPen(QColor(tokens.ground if self.isEnabled() else tokens.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.ground), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2)
