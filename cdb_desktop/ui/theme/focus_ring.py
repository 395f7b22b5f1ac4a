"""A ring around the list, table or text that has the focus of the keyboard; the style draws none there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget
from shiboken6 import isValid

RINGED = "ringed"  # the property of another widget that is to have a ring
_WIDTH = 2
_BOX_LIST = "QComboBoxPrivateContainer"  # the open list of a box, which marks its current line


class FocusRing(QObject):
    """Follows the focus of the application to scroll areas, and to widgets with the property ``RINGED``.

    As the rings that the style draws around buttons, it is shown while the keyboard is used, not after a
    click.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._ring: _Ring | None = None
        app.focusChanged.connect(self._follow)

    def _follow(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self._ring is not None and isValid(self._ring):  # it goes with its area
            self._ring.hide()
            self._ring.deleteLater()
        self._ring = None
        if now is not None and _needs_ring(now):
            self._ring = _Ring(now)


def _needs_ring(widget: QWidget) -> bool:
    is_area = isinstance(widget, QAbstractScrollArea) and not widget.window().inherits(_BOX_LIST)
    return is_area or bool(widget.property(RINGED))


class _Ring(QWidget):
    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.installEventFilter(self)
        self._fit()

    def _fit(self) -> None:
        self.setGeometry(self._area.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Stays as large as the area."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Nothing while the pointer is used."""
        if not self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            return
        with QPainter(self) as painter:
            pen = QPen(QColor(self.palette().color(QPalette.ColorRole.Accent)), _WIDTH)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
