"""Two small controls of the strip and of the headers: the current filter, and the bell of notifications."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import IconButton

_HEIGHT = 24
_CROSS = 24
_LONGEST = 180  # pixels of text, so that a narrow dock has space for the rest


class FilterChip(QWidget):
    """Shows a filter; hidden without one.

    Signals: ``opened`` when the label is clicked · ``removed`` when the cross is.
    """

    opened = Signal()
    removed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._text = ""
        self._label = QToolButton(self)
        self._label.setObjectName("live.chip")
        self._label.setAutoRaise(True)
        self._label.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._label.setFixedHeight(_HEIGHT)
        self._label.setStyleSheet("QToolButton { border: none; background: transparent; }")
        self._cross = IconButton(icon("close", appearance), tr("Show all events again"), self)
        self._cross.setObjectName("live.chip.remove")
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._label.clicked.connect(self.opened)
        self._cross.clicked.connect(self.removed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GAP, 0, 2, 0)
        layout.setSpacing(0)
        layout.addWidget(self._label)
        layout.addWidget(self._cross)
        self.setFixedHeight(_HEIGHT)
        self._label.setToolTip(tr("Choose what is shown"))
        self.hide()

    @property
    def text(self) -> str:
        """The whole text, empty without a filter."""
        return self._text

    def show_text(self, text: str) -> None:
        """Shows a filter; an empty text hides the chip."""
        self._text = text
        metrics = self._label.fontMetrics()
        self._label.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, _LONGEST))
        self._label.setAccessibleName(text)
        self.setVisible(bool(text))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paints a rounded background."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._appearance.tokens.selected))
            painter.drawRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)


class BellButton(IconButton):
    """Visible while the feed notifies of new events."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        tip = tr("Notifies of new events while another window is active; click to mute")
        super().__init__(icon("bell", appearance), tip, parent)
        self.setObjectName("live.bell")
        self.hide()
