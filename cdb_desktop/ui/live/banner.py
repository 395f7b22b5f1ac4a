"""The loud bar at the foot of a feed that stands still: how much has come since, and the way back."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import TIGHT

_HEIGHT = 28


class FollowBanner(QAbstractButton):
    """Filled once something has come, so that nobody takes a feed that stands still for a dead one."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._unseen = 0
        self.setObjectName("live.banner")
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)
        self.show_unseen(0)

    def show_unseen(self, unseen: int) -> None:
        """So many rows have come since the feed stands still."""
        self._unseen = unseen
        translate = QCoreApplication.translate
        if unseen:
            words = translate("Live", "+%1 new · End to follow")
        else:
            words = translate("Live", "Paused, nothing new yet · End to follow")
        self.setText(words.replace("%1", QLocale().toString(unseen)))
        self.setToolTip(translate("Live", "Go to the newest event and follow (End)"))
        self.setAccessibleName(self.text())
        self.update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.show_unseen(self._unseen)
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The accent colour behind the words when there is something new, else a calm ground."""
        tokens = self._appearance.tokens
        fill = QColor(tokens.accent if self._unseen else tokens.selected)
        words = QColor(tokens.ground if self._unseen else tokens.accent)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.88)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), fill)
            painter.setPen(words)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(words, 1))
                ring = QRectF(self.rect()).adjusted(TIGHT, TIGHT, -TIGHT, -TIGHT)
                painter.drawRoundedRect(ring, 2, 2)
