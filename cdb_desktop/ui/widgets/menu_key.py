"""Shift+F10 opens the menu of what the keys go to, on platforms where Qt knows the other key only."""

from __future__ import annotations

import sys

from PySide6.QtGui import QContextMenuEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget


def offer_menu_key(window: QWidget) -> None:
    """Within ``window``; Windows sends what is needed by itself."""
    if sys.platform != "win32":
        QShortcut(QKeySequence("Shift+F10"), window).activated.connect(_open_menu)


def _open_menu() -> None:
    focus = QApplication.focusWidget()
    if focus is not None:
        middle = focus.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(focus, QContextMenuEvent(reason, middle, focus.mapToGlobal(middle)))
