"""The strip of controls above a page."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QWidget

from cdb_desktop.ui.theme.measures import BAR, GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.layout import lay_out


class Toolbar(QWidget):
    """A strip with a hairline below it. Widgets are added from the left; `push` moves the next ones right."""

    def __init__(self, parent: QWidget | None = None, height: int = BAR) -> None:
        super().__init__(parent)
        self.setFixedHeight(height)
        self._layout = lay_out(QHBoxLayout(self), margins=(GROUP, 0, GAP, 0), spacing=TIGHT)

    def add(self, *widgets: QWidget, gap: int = 0, stretch: int = 0) -> None:
        """Appends widgets, with ``gap`` pixels before the first."""
        if gap:
            self._layout.addSpacing(gap)
        for widget in widgets:
            self._layout.addWidget(widget, stretch)

    def insert(self, place: int, widget: QWidget, stretch: int = 0) -> None:
        """Inserts a widget at the index ``place`` of the layout, in which spaces count."""
        self._layout.insertWidget(place, widget, stretch)

    def take(self, widget: QWidget) -> None:
        """Removes a widget from the layout."""
        self._layout.removeWidget(widget)

    def push(self, stretch: int = 1) -> None:
        """Adds a stretch: later widgets are at the right."""
        self._layout.addStretch(stretch)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            line = QColor(self.palette().color(QPalette.ColorRole.Mid))
            painter.fillRect(0, self.height() - 1, self.width(), 1, line)
