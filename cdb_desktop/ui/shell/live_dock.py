"""The dock of the live feed, at the bottom or at the right of the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.actions import Actions

_AREAS = {
    "live_bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
    "live_right": Qt.DockWidgetArea.RightDockWidgetArea,
}
_HEIGHT, _WIDTH = 220, 440


class LiveDock(QDockWidget):
    """Is moved by actions only: dragging it off beside its edge would happen by accident.

    Its area is stored with the window's layout.
    """

    def __init__(self, window: QMainWindow, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self.setObjectName("live")
        self.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self.setAllowedAreas(_AREAS["live_bottom"] | _AREAS["live_right"])
        self.setWindowTitle(tr("Live feed"))
        self.move_to("live_bottom")
        self._connect()

    def set_feed(self, feed: QWidget, title: QWidget) -> None:
        """Shows the feed of a connection."""
        self.setWidget(feed)
        self.setTitleBarWidget(title)
        self._show()

    def remove_feed(self) -> None:
        """Deletes the feed of a connection that has ended, and its title bar."""
        feed, title = self.widget(), self.titleBarWidget()
        # None restores Qt's own title bar.
        self.setTitleBarWidget(None)  # type: ignore[arg-type]
        for part in filter(None, (title, feed)):
            part.setParent(None)
            part.deleteLater()

    def ensure_docked(self) -> None:
        """Docks it if a restored layout has it floating, since it cannot be dragged back."""
        if self.isFloating():
            self.move_to("live_bottom")
        self._check(self._window.dockWidgetArea(self))

    def move_to(self, place: str) -> None:
        """Moves to the area of an action."""
        self.setFloating(False)
        self._window.addDockWidget(_AREAS[place], self)
        if place == "live_right":
            self._window.resizeDocks([self], [_WIDTH], Qt.Orientation.Horizontal)
        else:
            self._window.resizeDocks([self], [_HEIGHT], Qt.Orientation.Vertical)
        self._check(_AREAS[place])

    def _show(self) -> None:
        # Without a connection, and beside the events of a file, the action is not available.
        action = self._actions["live"]
        self.setVisible(action.isChecked() and action.isEnabled())

    def _choose(self, place: str) -> None:
        if self._window.dockWidgetArea(self) != _AREAS[place]:
            self.move_to(place)
        self._actions["live"].setChecked(True)

    def _check(self, area: Qt.DockWidgetArea) -> None:
        for place, its in _AREAS.items():
            if its == area:
                self._actions[place].setChecked(True)

    def _connect(self) -> None:
        group = QActionGroup(self)
        for place in _AREAS:
            group.addAction(self._actions[place])
            self._actions[place].triggered.connect(partial(self._choose, place))
        self._actions["live"].toggled.connect(self._show)
        self.dockLocationChanged.connect(self._check)
