"""Widgets that arrange others."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QPlainTextEdit, QSplitter, QSplitterHandle, QWidget
from shiboken6 import isValid


class Splitter(QSplitter):
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


class LayoutBoundary(QWidget):
    """Gives all of its room to ``content``, the only part of it that has a layout.

    A layout that is done passes on to the one around it that something has changed, up to the window, and
    all that stand there are measured. Here that ends: whoever sizes this widget goes by its own least size.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget(self)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The content's."""
        return self.content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """The content takes all."""
        super().resizeEvent(event)
        self.content.resize(event.size())


class ScrollCorner(QWidget):
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


class LazyText(QPlainTextEdit):
    """Behind another tab a text costs nothing, be it as long as it may."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self._text = ""
        self._is_late = False

    @property
    def text(self) -> str:
        """What it tells, in sight or not."""
        return self._text

    def show_text(self, text: str) -> None:
        """Another text from its beginning."""
        self._text, self._is_late = text, True
        if self.isVisible():
            self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """It is in sight."""
        super().showEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        if self._is_late:
            self.setPlainText(self._text)
            self._is_late = False
