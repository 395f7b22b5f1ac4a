"""One way in as a large calm choice: a sign, a name and a sentence; knows its action, not what it does."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QEnterEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, TIGHT
from cdb_desktop.ui.widgets.labels import Label

_WIDTH = 216
_SIGN = 24
_ROUND = 8


class ChoiceTile(QAbstractButton):
    """A button for an action, with room for a sentence about it."""

    def __init__(self, action: QAction, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self._appearance = appearance
        self._title = Label(self)
        self._text = Label(self)
        self.setObjectName(f"connection.start.{action.objectName().removeprefix('action.')}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(action.trigger)
        self._arrange()

    def show_choice(self, text: str) -> None:
        """Shows the action's name and a sentence about it."""
        name = plain(self._action.text()).removesuffix("…")
        self._title.setText(name)
        self._text.setText(text)
        self.setAccessibleName(name)
        self.setAccessibleDescription(text)
        self.setToolTip(self._action.toolTip())

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as the sentence needs."""
        layout = self.layout()
        return QSize(_WIDTH, layout.totalHeightForWidth(_WIDTH) if layout else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return does what Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        """The ground answers to the mouse."""
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """And is calm again."""
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A raised ground with a hairline; the accent around it while it has the focus."""
        tokens = self._appearance.tokens
        ground = tokens.selected if self.underMouse() or self.isDown() else tokens.raised
        edge = QPen(QColor(tokens.accent), 2) if self.hasFocus() else QPen(QColor(tokens.handle), 1)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(edge)
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _ROUND, _ROUND)
            self._action.icon().paint(painter, GROUP, GROUP, _SIGN, _SIGN)

    def _arrange(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.MinimumExpanding)
        self.setFixedWidth(_WIDTH)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.Medium))
        self._text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP, GROUP + _SIGN + GAP + TIGHT, GROUP, GROUP)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addStretch(1)
