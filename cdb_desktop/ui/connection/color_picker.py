"""The choice of a connection's colour; knows the colours, not what they are for."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.profile import DEFAULT_COLOUR
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import TIGHT

COLOURS = (
    DEFAULT_COLOUR,
    "#0C8A7B",
    "#3B8B45",
    "#A87200",
    "#D9534A",
    "#8D63D8",
    "#C2539A",
    "#76808C",
)


def colour_name(colour: str) -> str:
    """The name of one of the colours in the user's language; any other is named by its code."""
    names = (
        tr("Blue"),
        tr("Teal"),
        tr("Green"),
        tr("Amber"),
        tr("Red"),
        tr("Violet"),
        tr("Pink"),
        tr("Grey"),
    )
    return dict(zip(COLOURS, names, strict=True)).get(colour, colour)


_SIZE, _DISC = 28, 16


class Swatches(QWidget):
    """Discs of which one is chosen; the arrow keys go from one to the next."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._swatches = {colour: _Swatch(colour, appearance, self) for colour in COLOURS}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        for swatch in self._swatches.values():
            self._group.addButton(swatch)
            layout.addWidget(swatch)
        layout.addStretch(1)
        self.choose(DEFAULT_COLOUR)
        self._retranslate()

    @property
    def colour(self) -> str:
        """The chosen colour, such as ``#1F5FBF``."""
        return next(colour for colour, swatch in self._swatches.items() if swatch.isChecked())

    def choose(self, colour: str) -> None:
        """Chooses a colour, the first one in place of an unknown."""
        self._swatches.get(colour, self._swatches[DEFAULT_COLOUR]).setChecked(True)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        for colour, swatch in self._swatches.items():
            swatch.setToolTip(colour_name(colour))
            swatch.setAccessibleName(colour_name(colour))


class _Swatch(QAbstractButton):
    def __init__(self, colour: str, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = colour
        self._appearance = appearance
        self.setObjectName(f"connection.sheet.colour.{colour}")
        self.setCheckable(True)
        self.setFixedSize(QSize(_SIZE, _SIZE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        disc = QRectF(0, 0, _DISC, _DISC)
        disc.moveCenter(QRectF(self.rect()).center())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.isChecked() or self.hasFocus():
                ring = QColor(tokens.accent if self.hasFocus() else tokens.muted)
                painter.setPen(QPen(ring, 2 if self.isChecked() else 1))
                painter.drawEllipse(disc.adjusted(-4, -4, 4, 4))
            painter.setPen(Qt.PenStyle.NoPen)
            colour = QColor(self._colour)
            colour.setAlphaF(1.0 if self.isEnabled() else 0.4)
            painter.setBrush(colour)
            painter.drawEllipse(disc)
