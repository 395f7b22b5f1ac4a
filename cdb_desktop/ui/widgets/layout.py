"""Splitters, boundaries of layouts, corners of scroll areas, and texts that are laid out when shown."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QLayout,
    QPlainTextEdit,
    QSplitter,
    QSplitterHandle,
    QWidget,
)
from shiboken6 import isValid

_Layout = TypeVar("_Layout", bound=QBoxLayout)


def lay_out(
    layout: _Layout,
    *parts: QWidget | QLayout,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = 0,
    growing: QWidget | None = None,
) -> _Layout:
    """Adds ``parts`` to a layout and returns it; ``growing`` takes the space that the others leave."""
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part, int(part is growing))
    return layout


class Splitter(QSplitter):
    """A splitter with handles of one pixel, whose parts cannot be collapsed.

    The handles are painted, since a style sheet doubles the time to create the widgets below it.

    Signals: ``resized`` after the splitter has another size.
    """

    resized = Signal()

    def __init__(
        self, orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None
    ) -> None:
        super().__init__(orientation, parent, childrenCollapsible=False, handleWidth=1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.resized.emit()

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        """Creates a handle of one pixel."""
        return _Line(self.orientation(), self)


class _Line(QSplitterHandle):
    """A line that is highlighted under the pointer."""

    def __init__(self, orientation: Qt.Orientation, parent: QSplitter) -> None:
        super().__init__(orientation, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            if self.underMouse():
                painter.fillRect(self.rect(), self.palette().dark())
            else:
                painter.fillRect(self.contentsRect(), self.palette().mid())


class LayoutBoundary(QWidget):
    """A widget that fills itself with ``content`` without a layout.

    A change inside a layout makes all layouts around it measure their widgets again, up to the window. It
    stops here: the parent uses the minimum size of this widget only.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget(self)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.content.resize(event.size())


class ScrollCorner(QWidget):
    """The corner between both scroll bars of an area, in its base color.

    Qt's own is darker and has a frame. It is shown only while both bars are: otherwise it would shorten one.
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
            return  # the area is being deleted
        wanted = self if all(bar.maximum() > bar.minimum() for bar in self._bars) else None
        if wanted is not self._area.cornerWidget():
            self._area.setCornerWidget(wanted)  # type: ignore[arg-type]  # None takes it away


class LazyText(QPlainTextEdit):
    """A read-only text that is laid out when it becomes visible: a long one in a hidden tab costs nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, readOnly=True)
        self.text = ""  # the text, laid out or not
        self._is_pending = False

    def show_text(self, text: str) -> None:
        """Shows another text from its beginning."""
        self.text, self._is_pending = text, True
        if self.isVisible():
            self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        if self._is_pending:
            self.setPlainText(self.text)
            self._is_pending = False
