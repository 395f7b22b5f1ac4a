"""The colors of connections, and the widget to choose one.

Each color has a contrast of at least 3:1 to the backgrounds of both light and dark theme."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
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
    """The name of a color in the language in use; its code if it is not one of these."""
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


class ColorPicker(QWidget):
    """A row of discs of which one is selected; the arrow keys move the selection."""

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
        for colour, swatch in self._swatches.items():
            swatch.setToolTip(colour_name(colour))
            swatch.setAccessibleName(colour_name(colour))

    @property
    def colour(self) -> str:
        """The selected color, such as ``#1F5FBF``."""
        return next(colour for colour, swatch in self._swatches.items() if swatch.isChecked())

    def choose(self, colour: str) -> None:
        """Selects a color; the default if it is not one of these."""
        self._swatches.get(colour, self._swatches[DEFAULT_COLOUR]).setChecked(True)


class _Swatch(QAbstractButton):
    def __init__(self, colour: str, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = colour
        self._appearance = appearance
        self.setObjectName(f"connection.dialog.colour.{colour}")
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
