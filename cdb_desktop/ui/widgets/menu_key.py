"""Context menus by key: Shift+F10 where Qt knows only the menu key, and the menus of lists and trees."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint
from PySide6.QtGui import QContextMenuEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

OpenMenu = Callable[[QModelIndex, QPoint], None]


def offer_menu_key(window: QWidget) -> None:
    """Within ``window``; Windows sends what is needed by itself."""
    if sys.platform != "win32":
        QShortcut(QKeySequence("Shift+F10"), window).activated.connect(_open_menu)


def on_menu(view: QAbstractItemView, open_menu: OpenMenu) -> None:
    """Calls ``open_menu`` with what was clicked in a list or tree, and the point on the screen.

    The index is invalid beside all lines. By key it is the current line, and the point is below it.
    """
    _Menus(view, open_menu)


class _Menus(QObject):
    def __init__(self, view: QAbstractItemView, open_menu: OpenMenu) -> None:
        super().__init__(view)
        self._view = view
        self._open = open_menu
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if not isinstance(event, QContextMenuEvent):
            return False
        view = self._view
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = view.currentIndex()
            view.scrollTo(index)
            place = view.visualRect(index).intersected(view.viewport().rect())
            at = place.bottomLeft() if index.isValid() else view.viewport().rect().center()
            self._open(index, view.viewport().mapToGlobal(at))
        elif watched is view.viewport():
            self._open(view.indexAt(event.pos()), event.globalPos())
        else:
            return False
        return True


def _open_menu() -> None:
    focus = QApplication.focusWidget()
    if focus is not None:
        middle = focus.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(focus, QContextMenuEvent(reason, middle, focus.mapToGlobal(middle)))
