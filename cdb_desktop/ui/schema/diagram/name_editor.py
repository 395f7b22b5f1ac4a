"""A field over the diagram for a new name, as large as the name is painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.diagram.graph_builder import PADDING
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled

# Why an element cannot have a name; None if it can.
NameCheck = Callable[[ElementRef, str], Message | None]

_LEAST = 140
_OWN_MARGIN = 4  # of the field beside its text
_SMALLEST_FONT = 0.75  # of the size of texts in the window
_WIDEST_REASON, _ROOM = 320, 6
_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)


class NameEditor(QLineEdit):
    """Only Enter accepts the name, and only one that is possible; the reason is shown below the field.

    Signals: ``renamed`` with the ElementRef and the name · ``closed`` when the field is closed.
    """

    renamed = Signal(object, str)
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram.name")
        self._port = parent
        self._reason = _Reason(appearance, parent)
        self._ref: ElementRef = DOCUMENT
        self._name = ""
        self._check: NameCheck = _any_name
        self._plain_font = QFont(self.font())
        self.returnPressed.connect(self._take)
        self.textChanged.connect(self._show_reason)
        self.setAccessibleName(tr("New name"))
        self.hide()

    @property
    def reason(self) -> str:
        """Why the name is not possible, empty if it is."""
        return "" if self._reason.isHidden() else self._reason.text

    def set_check(self, check: NameCheck) -> None:
        """Sets what tells possible names."""
        self._check = check

    def begin(self, ref: ElementRef, name: str, rect: QRectF, zoom: float = 1.0) -> None:
        """Opens the field over a rectangle of the parent, with a font for the zoom."""
        self._ref, self._name = ref, name
        self.setFont(scaled(self._plain_font, max(zoom, _SMALLEST_FONT)))
        # The text stays where it is painted.
        self.setTextMargins(max(round(PADDING * zoom) - _OWN_MARGIN, 0), 0, 0, 0)
        self.setText(name)
        self.selectAll()
        found = rect.toRect()
        height = max(found.height(), self.sizeHint().height())
        width = max(found.width(), _LEAST)
        port = self._port.rect()
        left = max(min(found.left(), port.right() - width), 0)
        top = max(min(found.center().y() - height // 2, port.bottom() - height), 0)
        self.setGeometry(left, top, width, height)
        self.show()
        self.raise_()
        self._show_reason()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._hide()

    def _show_reason(self) -> None:
        name = self.text().strip()
        problem = None if name == self._name else self._check(self._ref, name)
        if problem is None:
            self._reason.hide()
        else:
            self._reason.show_below(str(problem), self.geometry())
        self.setAccessibleDescription("" if problem is None else str(problem))

    def _take(self) -> None:
        ref, name = self._ref, self.text().strip()
        if name != self._name and self._check(ref, name) is not None:
            return
        changed = bool(name) and name != self._name
        self._close()
        if changed:
            self.renamed.emit(ref, name)

    def _close(self) -> None:
        self._hide()
        self.closed.emit()

    def _hide(self) -> None:
        self.hide()
        self._reason.hide()


class _Reason(QWidget):
    """Why a name is not possible, in a frame below the field."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._port = parent
        self._appearance = appearance
        self.text = ""
        self.setObjectName("schema.diagram.name.reason")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_below(self, text: str, field: QRect) -> None:
        self.text = text
        port = self._port.rect()
        widest = min(_WIDEST_REASON, port.width()) - 2 * _ROOM
        size = self.fontMetrics().boundingRect(QRect(0, 0, widest, port.height()), _WRAPPED, text).size()
        width, height = size.width() + 2 * _ROOM, size.height() + 2 * _ROOM
        below = field.bottom() + 2
        top = below if below + height <= port.height() else field.top() - height - 1
        self.setGeometry(max(min(field.left(), port.right() - width), 0), top, width, height)
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.danger), 1))
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 3, 3)
            painter.drawText(self.rect().adjusted(_ROOM, _ROOM, -_ROOM, -_ROOM), _WRAPPED, self.text)


def _any_name(_ref: ElementRef, _name: str) -> Message | None:
    return None
