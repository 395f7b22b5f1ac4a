"""Buttons: flat ones with icons, the filled one of the next step, the banner below a table, and pills."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QIcon, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QPushButton, QSizePolicy, QToolButton, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import BUTTON, GAP, GROUP, ICON, ROW, TIGHT, demi_bold

_BUTTON = 28

_ROUND = 4
_HEIGHT = 28


class IconButton(QToolButton):
    """A flat button with an icon and a tooltip."""

    def __init__(self, picture: QIcon, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(picture)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        _flatten(self)


class ActionButton(QToolButton):
    """A flat button for a QAction."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)
        action.changed.connect(self._follow)
        self._follow()
        _flatten(self)

    def _follow(self) -> None:
        self.setAccessibleName(self.defaultAction().text().replace("&", ""))


def _flatten(button: QToolButton) -> None:
    button.setAutoRaise(True)
    button.setIconSize(QSize(ICON, ICON))
    button.setFixedSize(QSize(_BUTTON, _BUTTON))


class FilledButton(QPushButton):
    """The one filled button of a page or dialog, for the next step.

    ``tone`` is the name of its color: ``accent`` or ``danger``.
    """

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.tone = "accent"
        self.setAutoDefault(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.Medium)
        self.setFont(font)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * GROUP, BUTTON)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        fill = QColor(getattr(tokens, self.tone) if self.isEnabled() else tokens.raised)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.85)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(fill if self.isEnabled() else QColor(tokens.line), 1))
            painter.setBrush(fill)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
            painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
            if self.isEnabled():
                painter.setPen(QColor(tokens.ground))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.ground), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2)


class BannerButton(QAbstractButton):
    """A button as wide as its parent, for news about the rows above it; a prominent one is filled."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_prominent = False
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFont(demi_bold(self.font()))

    def show_text(self, text: str, tip: str, *, is_prominent: bool) -> None:
        """Shows ``text``; ``tip`` describes what a click does."""
        self._is_prominent = is_prominent
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        fill = QColor(tokens.accent if self._is_prominent else tokens.selected)
        text = QColor(tokens.ground if self._is_prominent else tokens.accent)
        if self.isDown() or self.underMouse():
            fill.setAlphaF(0.88)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), fill)
            painter.setPen(text)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                painter.setPen(QPen(text, 1))
                ring = QRectF(self.rect()).adjusted(TIGHT, TIGHT, -TIGHT, -TIGHT)
                painter.drawRoundedRect(ring, 2, 2)


class PillButton(QAbstractButton):
    """A small rounded button over another widget, such as the titles of a table."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFont(demi_bold(self.font()))

    def show_text(self, text: str, tip: str) -> None:
        """Shows ``text``; ``tip`` describes what a click does."""
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 2 * GAP, max(metrics.height() + TIGHT, ROW))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        has_outline = self.hasFocus() or self.underMouse() or self.isDown()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(tokens.accent if has_outline else tokens.selected))
            painter.setBrush(QColor(tokens.selected))
            radius = self.height() / 2 - 1
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
            painter.setPen(QColor(tokens.accent))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
