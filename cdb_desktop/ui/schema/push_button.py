"""Lets a push button do, say and be allowed what an action does."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from cdb_desktop.ui.actions import plain


class Following(QObject):
    """Goes with its button, so that an action which outlives the page has nobody left to tell."""

    def __init__(self, button: QPushButton, action: QAction) -> None:
        super().__init__(button)
        self._button = button
        self._action = action
        button.clicked.connect(action.trigger)
        action.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        name = plain(self._action.text())
        self._button.setText(name)
        self._button.setToolTip(self._action.toolTip())
        self._button.setAccessibleName(name)
        self._button.setEnabled(self._action.isEnabled())
