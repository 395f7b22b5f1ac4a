"""A field over the diagram for a new name, as large as the name is painted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import TIGHT
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.labels import Label

# Why an element cannot have a name; None if it can.
NameCheck = Callable[[ElementRef, str], Message | None]

_LEAST = 140
_SMALLEST_FONT = 0.75  # of the size of texts in the window
_WIDEST_REASON = 320


class NameEditor(QLineEdit):
    """Only Enter accepts the name, and only one that is possible; the reason is shown below the field.

    Signals: ``renamed`` with the ElementRef and the name · ``closed`` when the field is closed.
    """

    renamed = Signal(object, str)
    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram.name")
        self._appearance = appearance
        self._port = parent
        self._reason = _Reason(parent)
        self._ref: ElementRef = DOCUMENT
        self._name = ""
        self._check: NameCheck = _any_name
        self._plain_font = QFont(self.font())
        self.returnPressed.connect(self._take)
        self.textChanged.connect(self._show_reason)
        self.retranslate()
        self.hide()

    @property
    def reason(self) -> str:
        """Why the name is not possible, empty if it is."""
        return "" if self._reason.isHidden() else self._reason.text

    def retranslate(self) -> None:
        """Sets all texts in the current language."""
        self.setAccessibleName(tr("New name"))

    def set_check(self, check: NameCheck) -> None:
        """Sets what tells possible names."""
        self._check = check

    def begin(self, ref: ElementRef, name: str, rect: QRectF, zoom: float = 1.0) -> None:
        """Opens the field over a rectangle of the parent, with a font for the zoom."""
        self._ref, self._name = ref, name
        self.setFont(scaled(self._plain_font, max(zoom, _SMALLEST_FONT)))
        self.setText(name)
        self.selectAll()
        found = rect.toRect()
        height = max(found.height(), self.sizeHint().height())
        width = max(found.width(), _LEAST)
        port = self._port.rect()
        left = max(min(found.left(), port.right() - width), 0)
        self.setGeometry(left, found.center().y() - height // 2, width, height)
        self.show()
        self.raise_()
        self._show_reason()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Closes the field on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Closes the field."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._hide()

    def _show_reason(self) -> None:
        name = self.text().strip()
        problem = None if name == self._name else self._check(self._ref, name)
        if problem is None:
            self._reason.hide()
        else:
            self._reason.show_below(str(problem), self.geometry(), self._appearance.tokens)
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


class _Reason(QFrame):
    """Why a name is not possible, in a frame below the field."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._port = parent
        self.setObjectName("schema.diagram.name.reason")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.Box)
        self._label = Label(self)
        self._label.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(TIGHT, TIGHT, TIGHT, TIGHT)
        layout.addWidget(self._label)
        self.hide()

    @property
    def text(self) -> str:
        return self._label.text()

    def show_below(self, text: str, field: QRect, tokens: Tokens) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(tokens.raised))
        palette.setColor(QPalette.ColorRole.WindowText, QColor(tokens.danger))
        self.setPalette(palette)
        self._label.setPalette(palette)
        self._label.setText(text)
        port = self._port.rect()
        width = min(_WIDEST_REASON, port.width())
        height = self.heightForWidth(width)
        below = field.bottom() + 1
        top = below if below + height <= port.height() else field.top() - height
        self.setGeometry(max(min(field.left(), port.right() - width), 0), top, width, height)
        self.show()
        self.raise_()


def _any_name(_ref: ElementRef, _name: str) -> Message | None:
    return None
