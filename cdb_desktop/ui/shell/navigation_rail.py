"""The navigation rail at the left of the window, which switches pages."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFontMetrics, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QToolBar, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, RAIL, RAIL_ICON, TIGHT
from cdb_desktop.ui.theme.style import RINGED

_EDGE = 3


class NavigationRail(QToolBar):
    """Buttons at the top and at the bottom. A tool bar, so that docks are placed beside it."""

    def __init__(self, appearance: Appearance, top: list[QAction], foot: list[QAction]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setMovable(False)
        self.toggleViewAction().setEnabled(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._appearance = appearance
        content = QWidget(self)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, GAP, 0, GAP)
        layout.setSpacing(TIGHT)
        self._buttons = [_RailButton(action, appearance, content) for action in (*top, *foot)]
        for button in self._buttons:
            layout.addWidget(button)
        layout.insertStretch(len(top), 1)
        self.addWidget(content)
        own = self.layout()
        if own is not None:
            own.setContentsMargins(0, 0, 0, 0)
        self.setWindowTitle(tr("Pages"))
        self._resize()
        appearance.changed.connect(self._resize)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            line = self.palette().mid().color()
            painter.fillRect(self.width() - 1, 0, 1, self.height(), line)

    def _resize(self) -> None:
        """Gives all buttons the width of the longest name, or that of an icon."""
        width = RAIL - 1
        if self._appearance.has_page_names:
            width = max(width, *(button.name_width + GAP for button in self._buttons))
        for button in self._buttons:
            button.resize_to(width)
        self.setFixedWidth(width + 1)


class _RailButton(QAbstractButton):
    def __init__(self, action: QAction, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._action = action
        self._appearance = appearance
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setProperty(RINGED, True)
        self.setFont(scaled(self.font(), CAPTION))
        self.setObjectName(f"rail.{action.objectName().removeprefix('action.')}")
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @property
    def name_width(self) -> int:
        """The width of the name in pixels."""
        return QFontMetrics(self.font()).horizontalAdvance(self._name)

    def resize_to(self, width: int) -> None:
        """Sets the width, and the height of the icon with the name, if there is one."""
        below = self.fontMetrics().height() + TIGHT if self._appearance.has_page_names else 0
        self.setFixedSize(QSize(width, RAIL - GAP + below))
        self.update()

    @property
    def _name(self) -> str:
        # The title of the feed is longer than those of the pages.
        is_live = self.objectName() == "rail.live"
        return tr("Live") if is_live else plain(self._action.text())

    def nextCheckState(self) -> None:  # noqa: N802
        """Follows the action only: a click on the page that is shown changes nothing."""

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.underMouse() and self.isEnabled():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(tokens.selected))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(GAP - 1, 2, -GAP, -2), 6, 6)
            if self.isChecked() and self.isEnabled():
                painter.fillRect(0, GAP, _EDGE, self.height() - 2 * GAP, QColor(tokens.accent))
            mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
            state = QIcon.State.On if self.isChecked() else QIcon.State.Off
            place = QRect(0, 0, RAIL_ICON, RAIL_ICON)
            place.moveCenter(self.rect().center())
            if self._appearance.has_page_names:
                place.moveTop(GAP)
                painter.setPen(self.palette().color(self.foregroundRole()))
                below = self.rect().adjusted(0, place.bottom(), 0, -TIGHT)
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self._name)
            self._action.icon().paint(painter, place, Qt.AlignmentFlag.AlignCenter, mode, state)

    def _follow(self) -> None:
        self.setChecked(self._action.isChecked())
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(plain(self._action.text()))
        self.update()
