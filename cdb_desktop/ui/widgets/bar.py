"""The strip of controls above a page and its flat buttons; knows no page."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from cdb_desktop.ui.theme.measures import BAR, GAP, GROUP, ICON, TIGHT
from cdb_desktop.ui.widgets.label import Label

_BUTTON = 28


class IconButton(QToolButton):
    """A flat button with an icon, always with a tooltip."""

    def __init__(self, picture: QIcon, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(picture)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        _flatten(self)


class ActionButton(QToolButton):
    """A flat button for an action of the table."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)
        action.changed.connect(self._follow)
        self._follow()
        _flatten(self)

    def _follow(self) -> None:
        self.setAccessibleName(self.defaultAction().text().replace("&", ""))


class Bar(QWidget):
    """A strip with a hairline below: texts and controls from the left, controls at the right."""

    def __init__(self, parent: QWidget | None = None, height: int = BAR) -> None:
        super().__init__(parent)
        self.setFixedHeight(height)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(GROUP, 0, GAP, 0)
        self._layout.setSpacing(TIGHT)

    def add(self, *widgets: QWidget, gap: int = 0, stretch: int = 0) -> None:
        """Adds widgets after those that are there, ``gap`` before the first; ``stretch`` takes free room."""
        if gap:
            self._layout.addSpacing(gap)
        for widget in widgets:
            self._layout.addWidget(widget, stretch)

    def insert(self, place: int, widget: QWidget, stretch: int = 0) -> None:
        """Puts a widget before what stands at ``place``, spaces counted."""
        self._layout.insertWidget(place, widget, stretch)

    def take(self, widget: QWidget) -> None:
        """Takes a widget out, so that it can stand elsewhere."""
        self._layout.removeWidget(widget)

    def push(self, stretch: int = 1) -> None:
        """What is added from now on stands at the right."""
        self._layout.addStretch(stretch)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The hairline."""
        with QPainter(self) as painter:
            line = QColor(self.palette().color(QPalette.ColorRole.Mid))
            painter.fillRect(0, self.height() - 1, self.width(), 1, line)


def caption(parent: QWidget | None = None) -> QLabel:
    """A label for what is beside the point: muted."""
    label = Label(parent)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def _flatten(button: QToolButton) -> None:
    button.setAutoRaise(True)
    button.setIconSize(QSize(ICON, ICON))
    button.setFixedSize(QSize(_BUTTON, _BUTTON))
