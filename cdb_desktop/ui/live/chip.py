"""A small label for a filter that is in force, with a cross that takes it away."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import IconButton

_HEIGHT = 24
_CROSS = 24
_LONGEST = 180  # pixels of words, so that a narrow dock has room for the rest


class Chip(QWidget):
    """Hidden while there is nothing to show.

    Signals: ``opened`` when the label is pressed · ``removed`` when the cross is.
    """

    opened = Signal()
    removed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._words = ""
        self._label = QToolButton(self)
        self._label.setObjectName("live.chip")
        self._label.setAutoRaise(True)
        self._label.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._label.setFixedHeight(_HEIGHT)
        self._label.setStyleSheet("QToolButton { border: none; background: transparent; }")
        self._cross = IconButton(icon("close", appearance), "", self)
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
        self._retranslate()
        self.hide()

    @property
    def words(self) -> str:
        """The filter as it is shown, empty when there is none."""
        return self._words

    def show_words(self, words: str) -> None:
        """Shows a filter; empty words hide it."""
        self._words = words
        metrics = self._label.fontMetrics()
        self._label.setText(metrics.elidedText(words, Qt.TextElideMode.ElideRight, _LONGEST))
        self._label.setAccessibleName(words)
        self.setVisible(bool(words))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A rounded ground."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._appearance.tokens.selected))
            painter.drawRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)

    def _retranslate(self) -> None:
        remove = QCoreApplication.translate("Live", "Show all events again")
        self._cross.setToolTip(remove)
        self._cross.setAccessibleName(remove)
        self._label.setToolTip(QCoreApplication.translate("Live", "Choose what is shown"))
