"""A bar at the foot of rows that tells what has come meanwhile and leads there; knows no rows."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import TIGHT

_HEIGHT = 28


class FootBanner(QAbstractButton):
    """A button over the whole width; a loud one is filled."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_loud = False
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)

    def show_words(self, words: str, tip: str, *, loud: bool) -> None:
        """Tells ``words``; ``tip`` says what a click does."""
        self._is_loud = loud
        self.setText(words)
        self.setToolTip(tip)
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The accent colour behind loud words, else a calm ground."""
        tokens = self._appearance.tokens
        fill = QColor(tokens.accent if self._is_loud else tokens.selected)
        words = QColor(tokens.ground if self._is_loud else tokens.accent)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.88)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), fill)
            painter.setPen(words)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(words, 1))
                ring = QRectF(self.rect()).adjusted(TIGHT, TIGHT, -TIGHT, -TIGHT)
                painter.drawRoundedRect(ring, 2, 2)
