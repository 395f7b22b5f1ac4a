"""The corner between two scroll bars, in the colour of what is scrolled; knows no content."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
from shiboken6 import isValid


class Corner(QWidget):
    """By itself Qt paints the corner darker than both bars, and with a frame.

    It is there only as long as both bars are: beside one alone it would only shorten that bar.
    """

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area, autoFillBackground=True, visible=False)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._area = area
        self._bars = area.horizontalScrollBar(), area.verticalScrollBar()
        for bar in self._bars:
            bar.rangeChanged.connect(self._follow)

    def _follow(self) -> None:
        if not all(map(isValid, (self, self._area, *self._bars))):
            return  # the area goes, and its bars one after the other
        wanted = self if all(bar.maximum() > bar.minimum() for bar in self._bars) else None
        if wanted is not self._area.cornerWidget():
            self._area.setCornerWidget(wanted)  # type: ignore[arg-type]  # None takes it away
