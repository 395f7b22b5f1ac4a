"""A field over the diagram in which a name is typed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef

_LEAST = 140


class NameEditor(QLineEdit):
    """Enter takes the name, Escape and leaving do not.

    Signals: ``renamed`` with the place and the name · ``closed`` when the field is gone.
    """

    renamed = Signal(object, str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram.name")
        self.setAccessibleName(self.tr("New name"))
        self._place: ElementRef = DOCUMENT
        self._name = ""
        self.returnPressed.connect(self._take)
        self.hide()

    def begin(self, place: ElementRef, name: str, rect: QRectF) -> None:
        """Opens over a rectangle of the parent."""
        self._place, self._name = place, name
        self.setText(name)
        self.selectAll()
        found = rect.toRect()
        height = max(found.height(), self.sizeHint().height())
        top = found.center().y() - height // 2
        self.setGeometry(found.left(), top, max(found.width(), _LEAST), height)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape closes the field."""
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Whoever goes elsewhere does not rename."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.hide()

    def _take(self) -> None:
        place, name = self._place, self.text().strip()
        changed = bool(name) and name != self._name
        self._close()
        if changed:
            self.renamed.emit(place, name)

    def _close(self) -> None:
        self.hide()
        self.closed.emit()
