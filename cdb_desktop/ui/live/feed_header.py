"""The head of one feed among several: what it shows, how much of it, and the way out."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from cdb_desktop.ui.live.alarm_mark import AlarmMark
from cdb_desktop.ui.live.chip import Chip
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.toolbar import Toolbar

_HEIGHT = 28
_EDGE = 2


class FeedHeader(Toolbar):
    """A line above it in the accent colour tells which feed keys and actions mean.

    Signals: ``close_requested`` · ``silence_requested`` when the bell is pressed.
    """

    close_requested = Signal()
    silence_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent, height=_HEIGHT)
        self._appearance = appearance
        self._is_current = False
        self._all = Label(self)
        self._counts = caption(self)
        self.chip = Chip(appearance, self)
        self.bell = AlarmMark(appearance, self)
        self.bell.clicked.connect(self.silence_requested)
        self._close = IconButton(icon("close", appearance), "", self)
        self._close.setObjectName("live.feed.close")
        self._close.clicked.connect(self.close_requested)
        self._counts.setFont(tabular(self.font()))
        self._counts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.add(self._all, self.chip)
        self.add(self._counts, gap=GAP, stretch=1)
        self.add(self.bell, self._close)
        self._retranslate()

    def show_feed(self, choice: str, counts: str) -> None:
        """What it shows, empty when it is everything, and how much."""
        self.chip.show_words(choice)
        self._all.setVisible(not choice)
        self._counts.setText(counts)

    def show_current(self, is_current: bool) -> None:
        """Whether keys and actions mean this feed."""
        self._is_current = is_current
        self.update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The hairline below, and the line above."""
        super().paintEvent(event)
        if self._is_current:
            with QPainter(self) as painter:
                painter.fillRect(0, 0, self.width(), _EDGE, QColor(self._appearance.tokens.accent))

    def _retranslate(self) -> None:
        self._all.setText(QCoreApplication.translate("Live", "All events"))
        close = QCoreApplication.translate("Live", "Close this feed")
        self._close.setToolTip(close)
        self._close.setAccessibleName(close)
