"""The one filled button of a page: the next step."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import BUTTON, GROUP

_ROUND = 4


class FilledButton(QPushButton):
    """A button in the accent colour, or in that of danger: its ``tone``."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.tone = "accent"
        self.setAutoDefault(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium)
        self.setFont(font)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for the text and as much again as separates groups on either side."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * GROUP, BUTTON)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A filled shape, lighter under the mouse; without use an outline; with the focus a ring."""
        tokens = self._appearance.tokens
        fill = QColor(getattr(tokens, self.tone) if self.isEnabled() else tokens.raised)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.85)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(fill if self.isEnabled() else QColor(tokens.line), 1))
            painter.setBrush(fill)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
            painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
            if self.isEnabled():
                painter.setPen(QColor(tokens.ground))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.ground), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2)
