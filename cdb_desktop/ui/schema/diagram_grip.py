"""What the mouse holds in the diagram, a box or the ground, and how far it has been pulled."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.schema.table_item import TableItem


class Grip:
    """A press of the mouse; ``item`` is None on the ground."""

    def __init__(self, start: QPointF, item: TableItem | None) -> None:
        self.item = item
        self.is_pulled = False
        self.step = QPointF()
        self._start = start
        self._last = start
        self._corner = item.pos() if item else QPointF()

    def pull(self, to: QPointF) -> bool:
        """Whether the mouse has left where it was pressed; ``step`` is the way since the last time."""
        far = (to - self._start).manhattanLength() >= QApplication.startDragDistance()
        self.is_pulled = self.is_pulled or far
        self.step = to - self._last
        self._last = to
        return self.is_pulled

    def corner(self, zoom: float) -> QPointF:
        """Where the corner of the box belongs now."""
        return self._corner + (self._last - self._start) / zoom
