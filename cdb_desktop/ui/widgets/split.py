"""A splitter whose handles are lines of one pixel; knows not what stands beside them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget


class Split(QSplitter):
    """Parts that cannot be pushed out of sight.

    The line is painted, not styled: below a style sheet every widget takes twice as long to make.

    Signals: ``resized`` when the parts have taken another size together.
    """

    resized = Signal()

    def __init__(
        self, way: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None
    ) -> None:
        super().__init__(way, parent)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Whoever shares the room can do it anew."""
        super().resizeEvent(event)
        self.resized.emit()

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        """One of the lines."""
        return _Line(self.orientation(), self)


class _Line(QSplitterHandle):
    """A hairline that becomes a handle under the pointer, where it can be dragged."""

    def __init__(self, way: Qt.Orientation, parent: QSplitter) -> None:
        super().__init__(way, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            if self.underMouse():
                painter.fillRect(self.rect(), self.palette().dark())
            else:
                painter.fillRect(self.contentsRect(), self.palette().mid())
