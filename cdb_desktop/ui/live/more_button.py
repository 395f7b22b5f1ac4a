"""The end of the strip: a menu of what has no button or no room for it, and of the places of the dock."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.buttons import IconButton

_USUAL = ("live_account", "live_keep", "live_notify")  # which have no button at all
_PLACES = ("live_bottom", "live_right")


class MoreButton(IconButton):
    """``left_out`` names the actions whose buttons have no room at the moment."""

    def __init__(self, appearance: Appearance, actions: Actions, parent: QWidget) -> None:
        super().__init__(icon("more", appearance), "", parent)
        self.setObjectName("live.more")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # The arrow of a menu would lie over the icon.
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self._actions = actions
        self.left_out: tuple[str, ...] = ()
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self._fill()
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for names in (self.left_out, _USUAL, _PLACES):
            menu.addActions([self._actions[name] for name in names])
            menu.addSeparator()

    def _retranslate(self) -> None:
        tip = QCoreApplication.translate("Live", "More actions and position of the feed")
        self.setToolTip(tip)
        self.setAccessibleName(tip)
