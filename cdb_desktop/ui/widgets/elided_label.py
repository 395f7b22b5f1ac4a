"""A label that is elided where there is no room, instead of making its window wider."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent

from cdb_desktop.ui.widgets.label import Label

_NARROWEST = 40


class ElidedLabel(Label):
    """One line with its whole text as a tooltip; with word wrap a label as any other."""

    def setText(self, text: str) -> None:  # noqa: N802
        """Another text."""
        super().setText(text)
        self.setToolTip(text.strip())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """What is too long is cut."""
        wanted = super().minimumSizeHint()
        if self.wordWrap():
            return wanted
        return QSize(min(_NARROWEST, wanted.width()), wanted.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The text, or its beginning."""
        if self.wordWrap():
            super().paintEvent(event)
            return
        rect = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, rect.width())
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(rect, self.alignment(), text)
