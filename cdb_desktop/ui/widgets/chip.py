"""A chip: a filter in use, to be edited or removed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.buttons import IconButton

_HEIGHT = 26
_CROSS = 24
_WIDEST = 340
_NARROWEST = 72
_EDIT = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down})
_REMOVE = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_Backspace})


class Chip(QWidget):
    """A muted name, a summary, and a button to remove it.

    Signals: ``edit_requested`` and ``remove_requested``.
    """

    edit_requested = Signal()
    remove_requested = Signal()

    def __init__(self, appearance: Appearance, name: str, summary: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._name = f"{name}: "
        self.summary = summary
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip)
        self.setAccessibleName(self._name + summary)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setMaximumWidth(self.sizeHint().width())
        remove = tr("Remove this filter (Del)")
        self._cross = IconButton(icon("close", appearance), remove, self)
        self._cross.setAccessibleName(f"{remove}: {name}")
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._cross.setIconSize(QSize(10, 10))
        self._cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._cross.setCursor(Qt.CursorShape.ArrowCursor)
        self._cross.clicked.connect(self.remove_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, TIGHT - 1, 0)
        layout.addStretch(1)
        layout.addWidget(self._cross)

    def sizeHint(self) -> QSize:  # noqa: N802
        """The width of the text, up to a maximum."""
        width = self.fontMetrics().horizontalAdvance(self._name + self.summary)
        return QSize(min(width + 2 * GAP + _CROSS + TIGHT, _WIDEST), _HEIGHT)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrower chips elide the summary."""
        return QSize(_NARROWEST, _HEIGHT)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click edits, the middle button removes."""
        if not self.rect().contains(event.position().toPoint()):
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self.edit_requested.emit()
        elif event.button() == Qt.MouseButton.MiddleButton:
            self.remove_requested.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return, Space and Down edit; Delete and Backspace remove."""
        if event.key() in _EDIT:
            self.edit_requested.emit()
        elif event.key() in _REMOVE:
            self.remove_requested.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = tokens.accent if self.hasFocus() or self.underMouse() else tokens.handle
            painter.setPen(QPen(QColor(edge), 1.5 if self.hasFocus() else 1))
            painter.setBrush(QColor(tokens.selected))
            frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(frame, _HEIGHT / 2 - 1, _HEIGHT / 2 - 1)
            self._paint_text(painter)

    def _paint_text(self, painter: QPainter) -> None:
        tokens, metrics = self._appearance.tokens, painter.fontMetrics()
        room = self.rect().adjusted(GAP + 2, 0, -_CROSS - TIGHT, 0)
        name = metrics.horizontalAdvance(self._name)
        centre = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(tokens.muted))
        painter.drawText(room, centre, self._name)
        painter.setPen(QColor(tokens.text))
        rest = room.adjusted(name, 0, 0, 0)
        painter.drawText(
            rest, centre, metrics.elidedText(visible(self.summary), Qt.TextElideMode.ElideRight, rest.width())
        )
