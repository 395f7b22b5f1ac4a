"""A small round light that tells in colour how something goes; always stands beside words."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.theme.appearance import Appearance

Tone = Literal["accent", "good", "warning", "danger", "muted"]

_SIZE = 8


class StateDot(QWidget):
    """The light."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: Tone = "muted"
        self.setFixedSize(QSize(_SIZE, _SIZE))

    def show_tone(self, tone: Tone) -> None:
        """Shows a tone."""
        self._tone = tone
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A disc."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(self._appearance.tokens, self._tone)))
            painter.drawEllipse(QRectF(0, 0, _SIZE, _SIZE))
