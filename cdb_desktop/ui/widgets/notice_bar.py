"""A slim bar that tells one thing above the pages until it is closed; knows no cause."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.bar import IconButton

Tone = Literal["accent", "warning", "danger"]

_EDGE = 3


class NoticeBar(QWidget):
    """What happened, what it means, what to do; hidden while there is nothing to tell."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: Tone = "accent"
        self._title = QLabel(self)
        self._text = QLabel(self)
        close = IconButton(icon("close", appearance), self.tr("Close this notice"), self)
        close.clicked.connect(self.hide)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(bold)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        layout.setSpacing(GAP)
        for widget in (self._title, self._text, close):
            layout.addWidget(widget, stretch=int(widget is self._text))
        self.hide()

    @property
    def title(self) -> str:
        """What is told at the moment, or was told last."""
        return self._title.text()

    def show_notice(self, tone: Tone, title: str, text: str) -> None:
        """Shows a notice in place of the one before."""
        self._tone = tone
        self._title.setText(title)
        self._text.setText(text)
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A selected ground with an edge in the colour of the tone."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            painter.fillRect(0, 0, _EDGE, self.height(), QColor(getattr(tokens, self._tone)))
